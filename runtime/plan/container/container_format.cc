// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoding and checked decoding of a plan file's header.
#include "runtime/plan/container/container_format.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace accel::runtime {
namespace {

constexpr size_t kRootOffset = 80;
constexpr size_t kHeaderEnd = kRootOffset + 32;

// Puts integers one after the other, little endian.
class Writer {
 public:
  explicit Writer(absl::Span<std::byte> out) : out_(out) {}

  void Put(uint64_t value, size_t width) {
    for (size_t i = 0; i < width; ++i) {
      out_[position_++] = static_cast<std::byte>(value >> (8 * i));
    }
  }
  void Put(const void* data, size_t size) {
    std::memcpy(&out_[position_], data, size);
    position_ += size;
  }

 private:
  absl::Span<std::byte> out_;
  size_t position_ = 0;
};

class Reader {
 public:
  explicit Reader(absl::Span<const std::byte> in) : in_(in) {}

  uint64_t Get(size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value |= std::to_integer<uint64_t>(in_[position_++]) << (8 * i);
    }
    return value;
  }
  Sha256Digest GetDigest() {
    Sha256Digest digest;
    std::memcpy(digest.data(), &in_[position_], digest.size());
    position_ += digest.size();
    return digest;
  }

 private:
  absl::Span<const std::byte> in_;
  size_t position_ = 0;
};

}  // namespace

void EncodeHeader(PlanHeader& header, absl::Span<std::byte> out) {
  std::fill(out.begin(), out.end(), std::byte{0});
  Writer writer(out);
  writer.Put(kPlanMagic.data(), kPlanMagic.size());
  writer.Put(header.format_major, 4);
  writer.Put(header.format_minor, 4);
  writer.Put(header.file_size, 8);
  writer.Put(header.manifest_offset, 8);
  writer.Put(header.manifest_size, 8);
  writer.Put(header.chunk_size, 8);
  writer.Put(header.manifest_digest.data(), header.manifest_digest.size());
  header.root = Sha256::Of(out.first(kRootOffset));
  writer.Put(header.root.data(), header.root.size());
}

std::string PlanHeader::Version() const {
  return absl::StrCat(format_major, ".", format_minor);
}

absl::StatusOr<PlanHeader> DecodeHeader(absl::Span<const std::byte> bytes) {
  if (std::memcmp(bytes.data(), kPlanMagic.data(), kPlanMagic.size()) != 0) {
    return absl::InvalidArgumentError(
        "not a plan: its first bytes are not 'ACCELPLN'; plans are written by "
        "'accelc MODEL.onnx -o PLAN'");
  }
  Reader reader(bytes.subspan(kPlanMagic.size()));
  PlanHeader header;
  header.format_major = static_cast<uint32_t>(reader.Get(4));
  header.format_minor = static_cast<uint32_t>(reader.Get(4));
  // Before the root: another major may lay the header out in another way.
  if (header.format_major != kPlanFormatMajor) {
    return absl::UnimplementedError(absl::StrCat(
        "expected plan format ", kPlanFormatMajor, ".x, got ", header.Version(),
        "; compile the model again with this release's accelc"));
  }
  header.file_size = reader.Get(8);
  header.manifest_offset = reader.Get(8);
  header.manifest_size = reader.Get(8);
  header.chunk_size = reader.Get(8);
  header.manifest_digest = reader.GetDigest();
  header.root = reader.GetDigest();
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  if (header.root != Sha256::Of(bytes.first(kRootOffset)) ||
      !std::all_of(bytes.begin() + kHeaderEnd, bytes.end(), is_zero)) {
    return absl::DataLossError(
        "the header is damaged: it does not have the hash that it names");
  }
  if (header.chunk_size != kChunkSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected chunks of ", kChunkSize, " bytes, got ", header.chunk_size));
  }
  return header;
}

}  // namespace accel::runtime
