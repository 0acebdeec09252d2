// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of token ids: layouts, reading and the check of every id.
#include "runtime/data/token_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/utf8.h"

namespace accel::runtime {
namespace {

static_assert(std::endian::native == std::endian::little,
              "token files are little endian and read as they lie");

// llm.c: 256 words of 32 bits, of which three are used.
constexpr uint64_t kHeaderSize = 256 * 4;
constexpr uint32_t kMagic16 = 20240520;
constexpr uint32_t kVersion16 = 1;
constexpr uint32_t kMagic32 = 20240801;
constexpr uint32_t kVersion32 = 7;
constexpr uint32_t kMagicEval = 20240522;

struct TokenLayout {
  uint64_t data_offset = 0;
  int width = 2;
};

absl::Status Refuse(const PinnedFile& file, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", file.path(), "': ", text));
}

// The layout of a file with llm.c's header; nothing if it has none.
absl::StatusOr<std::optional<TokenLayout>> ReadHeader(const PinnedFile& file) {
  if (file.size() < kHeaderSize) {
    return std::optional<TokenLayout>();
  }
  std::array<uint32_t, 3> words;
  RETURN_IF_ERROR(
      file.ReadAt(0, absl::MakeSpan(reinterpret_cast<std::byte*>(words.data()),
                                    sizeof(words))));
  const auto [magic, version, count] = words;
  if (magic == kMagicEval) {
    return Refuse(file,
                  "this is an llm.c evaluation file (magic 20240522), not a "
                  "stream of tokens");
  }
  if (magic != kMagic16 && magic != kMagic32) {
    return std::optional<TokenLayout>();
  }
  const uint32_t known = magic == kMagic16 ? kVersion16 : kVersion32;
  if (version != known) {
    return Refuse(
        file, absl::StrCat("llm.c header ", magic, ": expected version ", known,
                           ", got ", version));
  }
  const TokenLayout layout{kHeaderSize, magic == kMagic16 ? 2 : 4};
  const uint64_t expected = uint64_t{count} * layout.width;
  if (file.size() - kHeaderSize != expected) {
    return Refuse(file, absl::StrCat("its header says ", count, " tokens of ",
                                     layout.width, " bytes, expected ",
                                     kHeaderSize + expected, " bytes, got ",
                                     file.size()));
  }
  return std::optional<TokenLayout>(layout);
}

// Raw 32-bit ids seen as 16-bit words have tiny upper halves. Read with the
// wrong width they would all be valid ids, and the model would train on noise.
absl::Status RefuseHidden32Bit(const PinnedFile& file) {
  constexpr uint64_t kMostWords = 4096;
  constexpr uint64_t kFewestWords = 64;
  constexpr uint16_t kLargestUpperHalf = 15;  // ids below 2^20
  std::array<uint16_t, kMostWords> words;
  const uint64_t count = std::min(kMostWords, file.size() / 4 * 2);
  if (count < kFewestWords) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(file.ReadAt(
      0,
      absl::MakeSpan(reinterpret_cast<std::byte*>(words.data()), count * 2)));
  uint64_t large_lower = 0;
  for (uint64_t i = 0; i < count; i += 2) {
    if (words[i + 1] > kLargestUpperHalf) {
      return absl::OkStatus();
    }
    if (words[i] > kLargestUpperHalf) {
      ++large_lower;
    }
  }
  if (large_lower < count / 4) {
    return absl::OkStatus();
  }
  return Refuse(
      file, absl::StrCat("expected 16-bit tokens, got what looks like 32-bit "
                         "ones; say --data ",
                         file.path(), ":u32, or ", file.path(),
                         ":u16 if it is right as it is"));
}

// Text or an array under a name that promises tokens: two letters would be one
// valid id of most vocabularies, and the model would train on noise.
absl::Status RefuseOther(const PinnedFile& file) {
  constexpr uint64_t kMostBytes = 4096;
  constexpr uint64_t kFewestBytes = 64;
  std::array<char, kMostBytes> bytes;
  const uint64_t count = std::min(kMostBytes, file.size());
  if (count < kFewestBytes) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(file.ReadAt(
      0, absl::MakeSpan(reinterpret_cast<std::byte*>(bytes.data()), count)));
  const absl::string_view beginning(bytes.data(), count);
  if (absl::StartsWith(beginning, "\x93NUMPY")) {
    return Refuse(file,
                  "expected 16-bit tokens, got an array of NumPy; give it to "
                  "accel-run as --data NAME=FILE.npy");
  }
  if (!LooksLikeText(beginning)) {
    return absl::OkStatus();
  }
  return Refuse(file,
                absl::StrCat("expected 16-bit tokens, got what looks "
                             "like text; make tokens of it: accel-data "
                             "pack ",
                             file.path(), " -o FILE.bin; or say --data ",
                             file.path(), ":u16 if it is right as it is"));
}

absl::StatusOr<TokenLayout> LearnLayout(const PinnedFile& file,
                                        TokenEncoding encoding) {
  ASSIGN_OR_RETURN(const std::optional<TokenLayout> header, ReadHeader(file));
  const int wanted = encoding == TokenEncoding::kU32 ? 4 : 2;
  if (header.has_value()) {
    if (encoding != TokenEncoding::kAuto && header->width != wanted) {
      return Refuse(file, absl::StrCat("expected ", wanted * 8,
                                       "-bit tokens, got an llm.c header of ",
                                       header->width * 8, "-bit ones"));
    }
    return *header;
  }
  if (encoding == TokenEncoding::kAuto) {
    RETURN_IF_ERROR(RefuseOther(file));
  }
  if (file.size() % wanted != 0) {
    return Refuse(file, absl::StrCat("expected ", wanted * 8,
                                     "-bit tokens, a multiple of ", wanted,
                                     " bytes, got ", file.size(),
                                     " bytes; write the file again"));
  }
  if (encoding == TokenEncoding::kAuto) {
    RETURN_IF_ERROR(RefuseHidden32Bit(file));
  }
  return TokenLayout{0, wanted};
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(
    Vfs& vfs, const std::string& path, TokenEncoding encoding) {
  ASSIGN_OR_RETURN(std::unique_ptr<PinnedFile> file,
                   PinnedFile::Open(vfs, path));
  ASSIGN_OR_RETURN(const TokenLayout layout, LearnLayout(*file, encoding));
  const uint64_t bytes = file->size() - layout.data_offset;
  if (bytes == 0) {
    return Refuse(*file,
                  "expected tokens, got none; write some, for example with "
                  "accel-data pack TEXT -o FILE.bin");
  }
  return std::unique_ptr<TokenFile>(
      new TokenFile(std::move(file), layout.data_offset, layout.width,
                    static_cast<int64_t>(bytes / layout.width)));
}

TokenFile::TokenFile(std::unique_ptr<PinnedFile> file, uint64_t data_offset,
                     int width, int64_t size)
    : file_(std::move(file)),
      data_offset_(data_offset),
      width_(width),
      size_(size) {}

std::string TokenFile::Layout() const {
  return absl::StrCat(width_ * 8, "-bit tokens",
                      data_offset_ > 0 ? ", llm.c header" : "");
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

absl::Status TokenFile::Read(int64_t first, absl::Span<uint32_t> dst) const {
  const uint64_t offset = data_offset_ + static_cast<uint64_t>(first) * width_;
  std::byte* const bytes = reinterpret_cast<std::byte*>(dst.data());
  if (width_ == 4) {
    RETURN_IF_ERROR(file_->ReadAt(offset, {bytes, dst.size() * 4}));
  } else {
    // Into the upper half of dst, then widened forwards: token i is written at
    // byte 4 i, never beyond the place 2 n + 2 i it is read from.
    std::byte* const narrow = bytes + dst.size() * 2;
    RETURN_IF_ERROR(file_->ReadAt(offset, {narrow, dst.size() * 2}));
    for (size_t i = 0; i < dst.size(); ++i) {
      uint16_t id;
      std::memcpy(&id, narrow + i * 2, sizeof(id));
      const uint32_t wide = id;
      std::memcpy(bytes + i * 4, &wide, sizeof(wide));
    }
  }
  return CheckIds(first, dst);
}

absl::Status TokenFile::CheckIds(int64_t first,
                                 absl::Span<const uint32_t> ids) const {
  if (vocabulary_ == 0 || ids.empty()) {
    return absl::OkStatus();
  }
  // The common case in one pass that vectorises.
  uint32_t largest = 0;
  for (const uint32_t id : ids) {
    largest = std::max(largest, id);
  }
  if (largest < vocabulary_) {
    return absl::OkStatus();
  }
  const auto bad = std::find_if(ids.begin(), ids.end(),
                                [&](uint32_t id) { return id >= vocabulary_; });
  const int64_t position = first + (bad - ids.begin());
  return absl::OutOfRangeError(absl::StrCat(
      "'", path(), "': expected token ids below the vocabulary of ",
      vocabulary_, ", got ", *bad, " at token ", position, " (byte offset ",
      data_offset_ + static_cast<uint64_t>(position) * width_,
      "); use the tokenizer that belongs to the model"));
}

}  // namespace accel::runtime
