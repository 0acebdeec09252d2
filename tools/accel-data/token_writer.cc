// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Token ids to little-endian words, and llm.c's header before wide ones.
#include "tools/accel-data/token_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::tools {
namespace {

static_assert(std::endian::native == std::endian::little,
              "token files are little endian and written as they lie");

constexpr int64_t kNarrowVocabulary = 65536;
constexpr size_t kBufferSize = size_t{1} << 20;
// llm.c: 256 words, of which three are used, and a signed count.
constexpr uint32_t kMagic = 20240801;
constexpr uint32_t kVersion = 7;
constexpr uint64_t kMostCounted = INT32_MAX;
using Header = std::array<uint32_t, 256>;

absl::Span<const std::byte> BytesOf(const Header& header) {
  return {reinterpret_cast<const std::byte*>(header.data()), sizeof(header)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenWriter>> TokenWriter::Create(
    runtime::Vfs& vfs, const std::string& path, int64_t vocabulary) {
  ASSIGN_OR_RETURN(auto file, runtime::AtomicFile::Create(vfs, path));
  auto writer = std::unique_ptr<TokenWriter>(
      new TokenWriter(path, vocabulary, std::move(file)));
  if (writer->width_ == 4) {
    RETURN_IF_ERROR(writer->file_->file().AppendAll(BytesOf(Header{})));
  }
  return writer;
}

TokenWriter::TokenWriter(std::string path, int64_t vocabulary,
                         std::unique_ptr<runtime::AtomicFile> file)
    : path_(std::move(path)),
      vocabulary_(vocabulary),
      width_(vocabulary <= kNarrowVocabulary ? 2 : 4),
      file_(std::move(file)) {
  buffer_.reserve(kBufferSize + 4);
}

absl::Status TokenWriter::Append(absl::Span<const uint32_t> ids) {
  for (const uint32_t id : ids) {
    if (id >= vocabulary_) {
      return absl::InternalError(absl::StrCat("'", path_,
                                              "': expected token ids below ",
                                              vocabulary_, ", got ", id));
    }
    std::array<std::byte, 4> word;
    std::memcpy(word.data(), &id, sizeof(id));
    buffer_.insert(buffer_.end(), word.begin(), word.begin() + width_);
    if (buffer_.size() >= kBufferSize) {
      RETURN_IF_ERROR(Flush());
    }
  }
  count_ += ids.size();
  return absl::OkStatus();
}

absl::Status TokenWriter::Flush() {
  RETURN_IF_ERROR(file_->file().AppendAll(buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status TokenWriter::Commit() {
  RETURN_IF_ERROR(Flush());
  if (width_ == 4) {
    if (count_ > kMostCounted) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path_, "': expected at most ", kMostCounted,
          " tokens of 32 bits, got ", count_,
          "; pack the inputs into several files: accel-run takes them as one "
          "stream (--data 'FILE-*.bin')"));
    }
    Header header = {};
    header[0] = kMagic;
    header[1] = kVersion;
    header[2] = static_cast<uint32_t>(count_);
    RETURN_IF_ERROR(file_->file().WriteAt(0, BytesOf(header)));
  }
  return file_->Commit();
}

}  // namespace accel::tools
