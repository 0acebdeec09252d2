// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads safetensors files piece by piece.
#include "runtime/io/safetensors.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// The reference implementation's limit.
constexpr uint64_t kMaxHeaderSize = 100'000'000;
constexpr uint64_t kLengthSize = 8;

absl::StatusOr<uint64_t> ReadHeaderSize(File& file, uint64_t file_size) {
  if (file_size < kLengthSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a safetensors file, got ", file_size, " bytes"));
  }
  std::array<std::byte, kLengthSize> bytes;
  RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes)));
  uint64_t size = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    size |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  }
  if (size > kMaxHeaderSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a safetensors file: a header of at most ",
                     kMaxHeaderSize, " bytes, got ", size));
  }
  if (size > file_size - kLengthSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the safetensors header says ", size, " bytes, the file has ",
        file_size - kLengthSize, " after it: it is cut short"));
  }
  return size;
}

absl::StatusOr<std::string> ReadHeader(File& file, uint64_t header_size) {
  std::string json(header_size, '\0');
  RETURN_IF_ERROR(file.ReadAt(
      kLengthSize,
      absl::MakeSpan(reinterpret_cast<std::byte*>(json.data()), json.size())));
  return json;
}

Sha256Digest DigestOf(const std::string& json) {
  Sha256 hash;
  hash.UpdateInteger(json.size());
  hash.Update(json);
  return hash.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SafetensorsReader>> SafetensorsReader::Open(
    Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, vfs.Open(path, OpenMode::kRead));
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  const std::string context = absl::StrCat("'", path, "'");
  const auto header_size = ReadHeaderSize(*file, stat.size);
  if (!header_size.ok()) {
    return Annotate(header_size.status(), context);
  }
  ASSIGN_OR_RETURN(const std::string json, ReadHeader(*file, *header_size));
  const uint64_t data_offset = kLengthSize + *header_size;
  const uint64_t data_bytes = stat.size - data_offset;
  auto header = ParseSafetensorsHeader(json, data_bytes);
  if (!header.ok()) {
    return Annotate(header.status(), context);
  }
  std::unique_ptr<SafetensorsReader> reader(
      new SafetensorsReader(std::move(file), *std::move(header)));
  reader->data_offset_ = data_offset;
  reader->data_bytes_ = data_bytes;
  reader->header_digest_ = DigestOf(json);
  return reader;
}

SafetensorsReader::SafetensorsReader(std::unique_ptr<File> file,
                                     SafetensorsHeader header)
    : file_(std::move(file)), header_(std::move(header)) {
  for (size_t i = 0; i < header_.entries.size(); ++i) {
    index_[header_.entries[i].name] = i;
  }
}

const SafetensorsEntry* SafetensorsReader::Find(absl::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.entries[found->second];
}

absl::Status SafetensorsReader::ReadData(uint64_t offset,
                                         absl::Span<std::byte> dst) const {
  return file_->ReadAt(data_offset_ + offset, dst);
}

absl::Status SafetensorsReader::Read(const SafetensorsEntry& entry,
                                     uint64_t offset,
                                     absl::Span<std::byte> dst) const {
  const uint64_t size = entry.end - entry.begin;
  if (offset > size || dst.size() > size - offset) {
    return absl::OutOfRangeError(
        absl::StrCat("'", path(), "': tensor '", entry.name, "' has ", size,
                     " bytes, asked for ", dst.size(), " at ", offset));
  }
  return file_->ReadAt(data_offset_ + entry.begin + offset, dst);
}

}  // namespace accel::runtime
