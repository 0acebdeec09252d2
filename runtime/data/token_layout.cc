// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts that files of tokens without an index show by their first bytes.
#include "runtime/data/token_layout.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/utf8.h"

namespace accel::runtime {
namespace {

// llm.c: 256 words of 32 bits, of which three are used.
constexpr uint64_t kHeaderSize = 256 * 4;
constexpr uint32_t kMagic16 = 20240520;
constexpr uint32_t kVersion16 = 1;
constexpr uint32_t kMagic32 = 20240801;
constexpr uint32_t kVersion32 = 7;
constexpr uint32_t kMagicEval = 20240522;

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
  TokenLayout layout;
  layout.data_offset = kHeaderSize;
  layout.dtype = magic == kMagic16 ? DType::kU16 : DType::kU32;
  layout.format = "llm.c header";
  const uint64_t expected = uint64_t{count} * layout.width();
  if (file.size() - kHeaderSize != expected) {
    return Refuse(file, absl::StrCat("its header says ", count, " tokens of ",
                                     layout.width(), " bytes, expected ",
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
                         "ones; name it ",
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
                  "accel-run as NAME=FILE.npy");
  }
  if (!LooksLikeText(beginning)) {
    return absl::OkStatus();
  }
  return Refuse(
      file, absl::StrCat("expected 16-bit tokens, got what looks "
                         "like text; make tokens of it: accel-data "
                         "pack ",
                         file.path(), " -o FILE.bin; or name it ", file.path(),
                         ":u16 if it is right as it is"));
}

}  // namespace

std::string TokenLayout::Describe() const {
  const bool is_signed = IsInteger(dtype) && ValuesOf(dtype).min < 0;
  return absl::StrCat(width() * 8,
                      is_signed ? "-bit signed tokens" : "-bit tokens",
                      format.empty() ? "" : ", ", format);
}

absl::StatusOr<TokenLayout> LearnLayout(const PinnedFile& file,
                                        TokenEncoding encoding) {
  ASSIGN_OR_RETURN(const std::optional<TokenLayout> header, ReadHeader(file));
  const int wanted = encoding == TokenEncoding::kU32 ? 4 : 2;
  if (header.has_value()) {
    if (encoding != TokenEncoding::kAuto && header->width() != wanted) {
      return Refuse(file, absl::StrCat("expected ", wanted * 8,
                                       "-bit tokens, got an llm.c header of ",
                                       header->width() * 8, "-bit ones"));
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
  TokenLayout layout;
  layout.dtype = wanted == 4 ? DType::kU32 : DType::kU16;
  return layout;
}

}  // namespace accel::runtime
