// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of token ids: reading and the check of every id.
#include "runtime/data/token_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/token_index.h"

namespace accel::runtime {
namespace {

static_assert(std::endian::native == std::endian::little,
              "token files are little endian and read as they lie");

absl::Status RefuseTokens(absl::string_view path, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("'", path, "': ", text));
}

struct LaidOutFile {
  std::unique_ptr<PinnedFile> file;
  TokenLayout layout;
};

// The pair of an index and its tokens.
absl::StatusOr<LaidOutFile> OpenPair(Vfs& vfs, const std::string& index_path) {
  ASSIGN_OR_RETURN(const TokenIndex index, ReadTokenIndex(vfs, index_path));
  const std::string path = TokensOfIndex(index_path);
  if (absl::IsNotFound(vfs.Stat(path).status())) {
    return absl::NotFoundError(
        absl::StrCat("'", index_path, "': expected its tokens beside it, in '",
                     path, "', got no such file; keep the two together"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<PinnedFile> file,
                   PinnedFile::Open(vfs, path));
  TokenLayout layout;
  layout.dtype = index.dtype;
  layout.format = "index";
  layout.documents = index.documents;
  const int64_t expected = index.tokens * layout.width();
  if (file->size() != static_cast<uint64_t>(expected)) {
    return RefuseTokens(
        path, absl::StrCat("its index '", index_path, "' counts ", index.tokens,
                           " tokens of ", layout.width(), " bytes, expected ",
                           expected, " bytes, got ", file->size(),
                           "; copy the two files again"));
  }
  return LaidOutFile{std::move(file), std::move(layout)};
}

// Tokens of an index may be of any type, so nothing is guessed without it.
absl::Status RefuseIndexed(Vfs& vfs, const std::string& path) {
  if (!absl::EndsWith(path, ".bin")) {
    return absl::OkStatus();
  }
  const std::string index = IndexOfTokens(path);
  const auto stat = vfs.Stat(index);
  if (!stat.ok() || !stat->is_regular) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const bool is_index, LooksLikeIndex(vfs, index));
  return is_index
             ? RefuseTokens(path,
                            absl::StrCat("its index '", index,
                                         "' lies beside it and says how to "
                                         "read it: name ",
                                         index, ", or ", path,
                                         ":u16 or :u32 if these are raw words"))
             : absl::OkStatus();
}

absl::StatusOr<LaidOutFile> OpenLaidOut(Vfs& vfs, const std::string& path,
                                        TokenEncoding encoding) {
  if (encoding == TokenEncoding::kAuto && IsIndexName(path)) {
    return OpenPair(vfs, path);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<PinnedFile> file,
                   PinnedFile::Open(vfs, path));
  if (encoding == TokenEncoding::kAuto) {
    RETURN_IF_ERROR(RefuseIndexed(vfs, path));
  }
  ASSIGN_OR_RETURN(TokenLayout layout, LearnLayout(*file, encoding));
  return LaidOutFile{std::move(file), std::move(layout)};
}

// Integers of `width` bytes at the end of `dst`, widened forwards: token i is
// written at byte 4 i, never beyond the place 4 n - width (n - i) it is read
// from.
template <typename T>
void Widen(absl::Span<uint32_t> dst) {
  std::byte* const bytes = reinterpret_cast<std::byte*>(dst.data());
  const std::byte* const narrow = bytes + dst.size() * (4 - sizeof(T));
  for (size_t i = 0; i < dst.size(); ++i) {
    T id;
    std::memcpy(&id, narrow + i * sizeof(T), sizeof(id));
    const uint32_t wide = id;
    std::memcpy(bytes + i * 4, &wide, sizeof(wide));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(
    Vfs& vfs, const std::string& path, TokenEncoding encoding) {
  ASSIGN_OR_RETURN(LaidOutFile opened, OpenLaidOut(vfs, path, encoding));
  auto& [file, layout] = opened;
  const uint64_t bytes = file->size() - layout.data_offset;
  if (bytes == 0) {
    return RefuseTokens(
        file->path(),
        "expected tokens, got none; write some, for example with "
        "accel-data pack TEXT -o FILE.bin");
  }
  const auto size = static_cast<int64_t>(bytes / layout.width());
  return std::unique_ptr<TokenFile>(
      new TokenFile(std::move(file), std::move(layout), size));
}

TokenFile::TokenFile(std::unique_ptr<PinnedFile> file, TokenLayout layout,
                     int64_t size)
    : file_(std::move(file)), layout_(std::move(layout)), size_(size) {
  SetVocabulary(int64_t{UINT32_MAX} + 1);
}

void TokenFile::SetVocabulary(int64_t vocabulary) {
  const int64_t largest = ValuesOf(layout_.dtype).max;
  limit_ = largest < vocabulary ? largest + 1 : vocabulary;
}

absl::Status TokenFile::CheckWhole() const {
  constexpr int64_t kPiece = 1 << 18;
  std::vector<uint32_t> ids(std::min(kPiece, size_));
  for (int64_t first = 0; first < size_; first += kPiece) {
    RETURN_IF_ERROR(Read(
        first, absl::MakeSpan(ids).first(std::min(kPiece, size_ - first))));
  }
  return absl::OkStatus();
}

uint64_t TokenFile::OffsetOf(int64_t token) const {
  return layout_.data_offset + static_cast<uint64_t>(token) * width();
}

absl::Status TokenFile::Read(int64_t first, absl::Span<uint32_t> dst) const {
  if (width() == 8) {
    return ReadWide(first, dst);
  }
  // Into the last part of dst, then widened forwards. What is negative becomes
  // larger than its type allows, so the check finds it.
  std::byte* const bytes = reinterpret_cast<std::byte*>(dst.data());
  const size_t size = dst.size() * width();
  RETURN_IF_ERROR(
      file_->ReadAt(OffsetOf(first), {bytes + dst.size() * 4 - size, size}));
  if (width() == 1) {
    Widen<uint8_t>(dst);
  } else if (width() == 2) {
    Widen<uint16_t>(dst);
  }
  return CheckIds(first, dst);
}

absl::Status TokenFile::ReadWide(int64_t first,
                                 absl::Span<uint32_t> dst) const {
  std::array<int64_t, 1024> piece;
  for (size_t done = 0; done < dst.size(); done += piece.size()) {
    const auto here =
        absl::MakeSpan(piece).first(std::min(piece.size(), dst.size() - done));
    const int64_t begin = first + static_cast<int64_t>(done);
    RETURN_IF_ERROR(
        file_->ReadAt(OffsetOf(begin),
                      absl::MakeSpan(reinterpret_cast<std::byte*>(here.data()),
                                     here.size() * sizeof(int64_t))));
    for (size_t i = 0; i < here.size(); ++i) {
      if (here[i] < 0 || here[i] >= limit_) {
        return RefuseId(begin + static_cast<int64_t>(i), here[i]);
      }
      dst[done + i] = static_cast<uint32_t>(here[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status TokenFile::CheckIds(int64_t first,
                                 absl::Span<const uint32_t> ids) const {
  // The common case in one pass that vectorises.
  uint32_t largest = 0;
  for (const uint32_t id : ids) {
    largest = std::max(largest, id);
  }
  if (largest < limit_) {
    return absl::OkStatus();
  }
  const auto bad = std::find_if(ids.begin(), ids.end(),
                                [&](uint32_t id) { return id >= limit_; });
  // As the file's type has it.
  std::array<std::byte, sizeof(*bad)> bytes;
  std::memcpy(bytes.data(), &*bad, bytes.size());
  return RefuseId(first + (bad - ids.begin()),
                  LoadInteger(layout_.dtype, bytes.data()));
}

absl::Status TokenFile::RefuseId(int64_t position, int64_t id) const {
  return absl::OutOfRangeError(absl::StrCat(
      "'", path(), "': expected token ids ",
      id < 0 ? "of 0 or more"
             : absl::StrCat("below the vocabulary of ", limit_),
      ", got ", id, " at token ", position, " (byte offset ",
      OffsetOf(position), "); use the tokenizer that belongs to the model"));
}

}  // namespace accel::runtime
