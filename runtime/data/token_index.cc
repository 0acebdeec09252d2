// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an index in pieces, so that memory does not follow what it claims.
#include "runtime/data/token_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/pinned_file.h"

namespace accel::runtime {
namespace {

static_assert(std::endian::native == std::endian::little,
              "an index is little endian and read as it lies");

constexpr absl::string_view kIndexMagic("MMIDIDX\0\0", 9);
constexpr absl::string_view kOldIndexMagic("TNTIDX\0\0", 8);
constexpr uint64_t kIndexVersion = 1;
constexpr uint64_t kIndexHeaderSize = 34;
// Bytes of the index for a sequence and for a document.
constexpr uint64_t kSequenceSize = sizeof(int32_t) + sizeof(int64_t);
constexpr uint64_t kDocumentSize = sizeof(int64_t);

struct IndexHeader {
  uint64_t version = 0;
  uint8_t type = 0;
  uint64_t sequences = 0;
  uint64_t documents = 0;  // entries
};

absl::Status RefuseIndex(const PinnedFile& file, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", file.path(), "': ", text));
}

template <typename T>
T LoadField(const std::byte* src) {
  T value;
  std::memcpy(&value, src, sizeof(value));
  return value;
}

std::optional<DType> TypeOf(uint8_t code) {
  switch (code) {
    case 1:
      return DType::kU8;
    case 2:
      return DType::kI8;
    case 3:
      return DType::kI16;
    case 4:
      return DType::kI32;
    case 5:
      return DType::kI64;
    case 8:
      return DType::kU16;
    default:
      return std::nullopt;
  }
}

absl::Status RefuseMagic(const PinnedFile& file, absl::string_view bytes) {
  if (absl::StartsWith(bytes, kOldIndexMagic)) {
    return RefuseIndex(
        file,
        "expected an index that begins with MMIDIDX, got TNTIDX, its "
        "older layout; write the data set again, memory-mapped "
        "(\"mmap\"), or its tokens as FILE.bin");
  }
  return RefuseIndex(
      file,
      "expected an index of tokens, which begins with MMIDIDX, got "
      "something else at byte offset 0; give the .idx file that was "
      "written with the tokens");
}

absl::Status RefuseType(const PinnedFile& file, uint8_t code) {
  if (code == 6 || code == 7) {
    return RefuseIndex(
        file, absl::StrCat("expected a type of integers, got code ", code,
                           " at byte offset 17, which is a type of floats (6 "
                           "and 7 are f32 and f64, in an order that differs "
                           "between writers); tokens are integers: write them "
                           "as i32 (4) or u16 (8)"));
  }
  return RefuseIndex(
      file, absl::StrCat("expected a type code of 1 (u8), 2 (i8), 3 (i16), 4 "
                         "(i32), 5 (i64) or 8 (u16), got ",
                         code, " at byte offset 17; write the index again"));
}

absl::StatusOr<IndexHeader> ReadIndexHeader(const PinnedFile& file) {
  std::array<std::byte, kIndexHeaderSize> bytes = {};
  const uint64_t have = std::min<uint64_t>(file.size(), bytes.size());
  RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes).first(have)));
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               have);
  if (!absl::StartsWith(text, kIndexMagic)) {
    return RefuseMagic(file, text);
  }
  if (have < kIndexHeaderSize) {
    return RefuseIndex(
        file, absl::StrCat("expected a header of ", kIndexHeaderSize,
                           " bytes, got ", have, "; copy the file again"));
  }
  return IndexHeader{
      LoadField<uint64_t>(&bytes[9]), LoadField<uint8_t>(&bytes[17]),
      LoadField<uint64_t>(&bytes[18]), LoadField<uint64_t>(&bytes[26])};
}

// What the header's numbers say against the file's size, without trusting that
// their products fit.
absl::Status CheckSize(const PinnedFile& file, const IndexHeader& header) {
  const uint64_t body = file.size() - kIndexHeaderSize;
  uint64_t sequences = 0;
  uint64_t documents = 0;
  uint64_t expected = 0;
  const bool fits =
      !__builtin_mul_overflow(header.sequences, kSequenceSize, &sequences) &&
      !__builtin_mul_overflow(header.documents, kDocumentSize, &documents) &&
      !__builtin_add_overflow(sequences, documents, &expected);
  if (fits && body == expected) {
    return absl::OkStatus();
  }
  const std::string counts =
      absl::StrCat("its header counts ", header.sequences, " sequences and ",
                   header.documents, " document entries");
  if (fits && body == expected + header.sequences) {
    return RefuseIndex(file,
                       absl::StrCat(counts,
                                    ", and a mode for each sequence follows: "
                                    "these are not tokens alone; write the "
                                    "data set without modes"));
  }
  return RefuseIndex(
      file, absl::StrCat(counts, ", expected ",
                         fits ? absl::StrCat(kIndexHeaderSize + expected)
                              : "more than 2^64",
                         " bytes, got ", file.size(), "; copy the file again"));
}

// Visits `count` values of type T from `offset` on, in pieces; `first` is the
// number of the first one of a piece.
template <typename T>
absl::Status ForPieces(
    const PinnedFile& file, uint64_t offset, uint64_t count,
    absl::FunctionRef<absl::Status(uint64_t first, absl::Span<const T> piece)>
        visit) {
  constexpr uint64_t kPiece = uint64_t{1} << 15;
  std::vector<T> piece(std::min(kPiece, count));
  for (uint64_t first = 0; first < count; first += kPiece) {
    const uint64_t here = std::min(kPiece, count - first);
    RETURN_IF_ERROR(
        file.ReadAt(offset + first * sizeof(T),
                    absl::MakeSpan(reinterpret_cast<std::byte*>(piece.data()),
                                   here * sizeof(T))));
    RETURN_IF_ERROR(visit(first, absl::MakeConstSpan(piece).first(here)));
  }
  return absl::OkStatus();
}

class IndexChecker {
 public:
  IndexChecker(const PinnedFile& file, const IndexHeader& header, DType dtype)
      : file_(file), header_(header), width_(ByteWidth(dtype)) {}

  // Returns the number of tokens.
  absl::StatusOr<int64_t> CheckSequences() {
    RETURN_IF_ERROR(ForPieces<int32_t>(
        file_, kIndexHeaderSize, header_.sequences,
        [this](uint64_t first, absl::Span<const int32_t> lengths) {
          return CheckPiece(first, lengths);
        }));
    return tokens_;
  }

  absl::Status CheckDocuments() {
    const uint64_t begin = kIndexHeaderSize + header_.sequences * kSequenceSize;
    int64_t last = 0;
    RETURN_IF_ERROR(ForPieces<int64_t>(
        file_, begin, header_.documents,
        [&](uint64_t first, absl::Span<const int64_t> starts) -> absl::Status {
          for (size_t i = 0; i < starts.size(); ++i) {
            const uint64_t entry = first + i;
            if (entry == 0 ? starts[i] != 0 : starts[i] < last) {
              return RefuseEntry(
                  "document", entry, begin + entry * kDocumentSize,
                  entry == 0 ? "to begin with sequence 0"
                             : absl::StrCat("to begin with sequence ", last,
                                            " or a later one"),
                  starts[i]);
            }
            last = starts[i];
          }
          return absl::OkStatus();
        }));
    if (header_.documents == 0) {
      return RefuseIndex(
          file_,
          "expected a document entry or more, got 0 at byte offset "
          "26; write the index again");
    }
    if (static_cast<uint64_t>(last) != header_.sequences) {
      return RefuseIndex(
          file_, absl::StrCat("expected the documents to end with sequence ",
                              header_.sequences, ", got ", last,
                              " at byte offset ", file_.size() - kDocumentSize,
                              "; write the index again"));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckPiece(uint64_t first, absl::Span<const int32_t> lengths) {
    const uint64_t pointers =
        kIndexHeaderSize + header_.sequences * sizeof(int32_t);
    return ForPieces<int64_t>(
        file_, pointers + first * sizeof(int64_t), lengths.size(),
        [&](uint64_t, absl::Span<const int64_t> begins) -> absl::Status {
          for (size_t i = 0; i < begins.size(); ++i) {
            RETURN_IF_ERROR(
                CheckSequence(first + i, lengths[i], begins[i], pointers));
          }
          return absl::OkStatus();
        });
  }

  absl::Status CheckSequence(uint64_t sequence, int32_t length, int64_t begin,
                             uint64_t pointers) {
    if (length < 0) {
      return RefuseEntry("sequence", sequence,
                         kIndexHeaderSize + sequence * sizeof(int32_t),
                         "to have 0 tokens or more", length);
    }
    if (begin != tokens_ * width_) {
      return RefuseEntry(
          "sequence", sequence, pointers + sequence * sizeof(int64_t),
          absl::StrCat("to begin at byte ", tokens_ * width_,
                       " of the tokens, where the one before it ends"),
          begin);
    }
    // Both would need more tokens than any file can hold.
    int64_t end = 0;
    if (__builtin_add_overflow(tokens_, int64_t{length}, &tokens_) ||
        __builtin_mul_overflow(tokens_, width_, &end)) {
      return RefuseIndex(file_,
                         "expected fewer than 2^63 bytes of tokens, got "
                         "more; write the index again");
    }
    return absl::OkStatus();
  }

  absl::Status RefuseEntry(absl::string_view kind, uint64_t entry,
                           uint64_t offset, absl::string_view expected,
                           int64_t got) const {
    return RefuseIndex(
        file_, absl::StrCat("expected ", kind, " ", entry, " ", expected,
                            ", got ", got, " at byte offset ", offset,
                            "; write the index again"));
  }

  const PinnedFile& file_;
  const IndexHeader& header_;
  const int64_t width_;
  int64_t tokens_ = 0;
};

}  // namespace

bool IsIndexName(absl::string_view path) {
  return absl::EndsWith(path, ".idx");
}

std::string TokensOfIndex(absl::string_view path) {
  return absl::StrCat(absl::StripSuffix(path, ".idx"), ".bin");
}

std::string IndexOfTokens(absl::string_view path) {
  return absl::StrCat(absl::StripSuffix(path, ".bin"), ".idx");
}

absl::StatusOr<TokenIndex> ReadTokenIndex(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<PinnedFile> file,
                   PinnedFile::Open(vfs, path));
  ASSIGN_OR_RETURN(const IndexHeader header, ReadIndexHeader(*file));
  if (header.version != kIndexVersion) {
    return RefuseIndex(*file, absl::StrCat("expected version ", kIndexVersion,
                                           ", got ", header.version,
                                           " at byte offset 9; write the index "
                                           "again"));
  }
  const std::optional<DType> dtype = TypeOf(header.type);
  if (!dtype.has_value()) {
    return RefuseType(*file, header.type);
  }
  RETURN_IF_ERROR(CheckSize(*file, header));
  IndexChecker checker(*file, header, *dtype);
  TokenIndex index;
  index.dtype = *dtype;
  index.sequences = static_cast<int64_t>(header.sequences);
  ASSIGN_OR_RETURN(index.tokens, checker.CheckSequences());
  RETURN_IF_ERROR(checker.CheckDocuments());
  index.documents = static_cast<int64_t>(header.documents) - 1;
  return index;
}

absl::StatusOr<bool> LooksLikeIndex(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, OpenMode::kRead));
  std::array<char, kIndexMagic.size()> bytes;
  size_t have = 0;
  while (have < bytes.size()) {
    ASSIGN_OR_RETURN(const size_t count,
                     file->Read(absl::MakeSpan(
                         reinterpret_cast<std::byte*>(bytes.data()) + have,
                         bytes.size() - have)));
    if (count == 0) {
      break;
    }
    have += count;
  }
  const absl::string_view text(bytes.data(), have);
  return absl::StartsWith(text, kIndexMagic) ||
         absl::StartsWith(text, kOldIndexMagic);
}

}  // namespace accel::runtime
