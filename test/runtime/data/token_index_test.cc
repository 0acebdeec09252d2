// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of index and tokens of every type are read; whatever an index claims
// that is not so is refused with its place.
#include "runtime/data/token_index.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/data/token_file.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Faults;
using ::accel::testing::FaultyVfs;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::HasSubstr;

template <typename T>
std::string Le(T value) {
  return TempDir::Bytes(std::vector<T>{value});
}

// What an index holds, in the order of its bytes.
struct Parts {
  std::string magic = std::string("MMIDIDX\0\0", 9);
  uint64_t version = 1;
  uint8_t type = 8;
  std::vector<int32_t> lengths = {3, 1, 2};
  std::vector<int64_t> begins = {0, 6, 8};
  std::vector<int64_t> documents = {0, 2, 3};
  std::string behind = {};

  std::string Bytes() const {
    return magic + Le(version) + Le(type) + Le<uint64_t>(lengths.size()) +
           Le<uint64_t>(documents.size()) + TempDir::Bytes(lengths) +
           TempDir::Bytes(begins) + TempDir::Bytes(documents) + behind;
  }
};

class TokenIndexTest : public ::testing::Test {
 protected:
  absl::StatusOr<TokenIndex> Read(const std::string& bytes) {
    return ReadTokenIndex(*vfs_, dir_.Write("t.idx", bytes));
  }

  void ExpectRefused(const std::string& bytes, const std::string& message) {
    EXPECT_THAT(Read(bytes), StatusIs(absl::StatusCode::kInvalidArgument,
                                      absl::StrCat("'", dir_.File("t.idx"),
                                                   "': ", message)));
  }

  template <typename T>
  void ExpectIds(uint8_t type, const std::vector<T>& tokens,
                 const std::vector<uint32_t>& expected,
                 const std::string& layout) {
    Parts parts;
    parts.type = type;
    parts.lengths = {static_cast<int32_t>(tokens.size())};
    parts.begins = {0};
    parts.documents = {0, 1};
    dir_.Write("t.idx", parts.Bytes());
    dir_.Write("t.bin", tokens);
    ASSERT_OK_AND_ASSIGN(
        const auto file,
        TokenFile::Open(*vfs_, dir_.File("t.idx"), TokenEncoding::kAuto));
    std::vector<uint32_t> ids(static_cast<size_t>(file->size()));
    ASSERT_OK(file->Read(0, absl::MakeSpan(ids)));
    EXPECT_EQ(ids, expected);
    EXPECT_EQ(file->Layout(), layout);
    EXPECT_EQ(file->documents(), 1);
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(TokenIndexTest, CountsWhatIsThere) {
  ASSERT_OK_AND_ASSIGN(const TokenIndex index, Read(Parts().Bytes()));
  EXPECT_EQ(index.dtype, DType::kU16);
  EXPECT_EQ(index.sequences, 3);
  EXPECT_EQ(index.documents, 2);
  EXPECT_EQ(index.tokens, 6);
}

TEST_F(TokenIndexTest, MoreSequencesThanOnePieceAreChecked) {
  Parts parts;
  parts.lengths.assign(100'000, 2);
  parts.begins.clear();
  parts.documents.clear();
  for (int64_t i = 0; i < 100'000; ++i) {
    parts.begins.push_back(i * 4);
    parts.documents.push_back(i);
  }
  parts.documents.push_back(100'000);
  ASSERT_OK_AND_ASSIGN(const TokenIndex index, Read(parts.Bytes()));
  EXPECT_EQ(index.tokens, 200'000);
  EXPECT_EQ(index.documents, 100'000);
  parts.begins[70'000] += 2;
  ExpectRefused(
      parts.Bytes(),
      "expected sequence 70000 to begin at byte 280000 of the tokens, "
      "where the one before it ends, got 280002 at byte offset "
      "960034; write the index again");
}

TEST_F(TokenIndexTest, TokensOfEveryTypeAreTheSame) {
  ExpectIds<uint8_t>(1, {0, 7, 255}, {0, 7, 255}, "8-bit tokens, index");
  ExpectIds<int8_t>(2, {0, 7, 127}, {0, 7, 127}, "8-bit signed tokens, index");
  ExpectIds<int16_t>(3, {0, 7, 32767}, {0, 7, 32767},
                     "16-bit signed tokens, index");
  ExpectIds<int32_t>(4, {0, 7, 128000}, {0, 7, 128000},
                     "32-bit signed tokens, index");
  ExpectIds<int64_t>(5, {0, 7, 4294967295}, {0, 7, 4294967295},
                     "64-bit signed tokens, index");
  ExpectIds<uint16_t>(8, {0, 7, 65535}, {0, 7, 65535}, "16-bit tokens, index");
}

TEST_F(TokenIndexTest, NegativeAndLargeIdsNameTheirPlace) {
  const auto read = [this](uint8_t type, const auto& tokens) {
    Parts parts;
    parts.type = type;
    parts.lengths = {static_cast<int32_t>(tokens.size())};
    parts.begins = {0};
    parts.documents = {0, 1};
    dir_.Write("t.idx", parts.Bytes());
    dir_.Write("t.bin", tokens);
    const auto file =
        *TokenFile::Open(*vfs_, dir_.File("t.idx"), TokenEncoding::kAuto);
    return file->CheckWhole();
  };
  const std::string path = absl::StrCat("'", dir_.File("t.bin"), "': ");
  const std::string remedy = "); use the tokenizer that belongs to the model";
  EXPECT_THAT(read(2, std::vector<int8_t>{1, -1}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat(path,
                                    "expected token ids of 0 or more, got "
                                    "-1 at token 1 (byte offset 1",
                                    remedy)));
  EXPECT_THAT(read(3, std::vector<int16_t>{1, 2, -300}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("got -300 at token 2 (byte offset 4")));
  EXPECT_THAT(read(4, std::vector<int32_t>{-70000}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("got -70000 at token 0 (byte offset 0")));
  std::vector<int64_t> wide(3000, 5);
  wide[2500] = -1;
  EXPECT_THAT(read(5, wide),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("got -1 at token 2500 (byte offset 20000")));
  wide[2500] = int64_t{1} << 32;
  EXPECT_THAT(read(5, wide),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("expected token ids below the vocabulary of "
                                 "4294967296, got 4294967296 at token 2500")));
}

TEST_F(TokenIndexTest, WhatIsNoIndexIsRefused) {
  Parts parts;
  parts.magic = std::string("MMIDIDY\0\0", 9);
  ExpectRefused(parts.Bytes(),
                "expected an index of tokens, which begins with MMIDIDX, got "
                "something else at byte offset 0; give the .idx file that was "
                "written with the tokens");
  ExpectRefused(std::string("TNTIDX\0\0", 8) + std::string(100, '\0'),
                "expected an index that begins with MMIDIDX, got TNTIDX, its "
                "older layout; write the data set again, memory-mapped "
                "(\"mmap\"), or its tokens as FILE.bin");
  parts = {};
  parts.version = 2;
  ExpectRefused(parts.Bytes(),
                "expected version 1, got 2 at byte offset 9; write the index "
                "again");
  EXPECT_THAT(ReadTokenIndex(*vfs_, dir_.File("absent.idx")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.idx")));
}

TEST_F(TokenIndexTest, TypesThatAreNoTokensAreRefused) {
  Parts parts;
  for (const int code : {6, 7}) {
    parts.type = static_cast<uint8_t>(code);
    ExpectRefused(parts.Bytes(),
                  absl::StrCat("expected a type of integers, got code ", code,
                               " at byte offset 17, which is a type of floats "
                               "(6 and 7 are f32 and f64, in an order that "
                               "differs between writers); tokens are integers: "
                               "write them as i32 (4) or u16 (8)"));
  }
  parts.type = 9;
  ExpectRefused(parts.Bytes(),
                "expected a type code of 1 (u8), 2 (i8), 3 (i16), 4 (i32), 5 "
                "(i64) or 8 (u16), got 9 at byte offset 17; write the index "
                "again");
}

TEST_F(TokenIndexTest, SizesThatDoNotFitAreRefused) {
  Parts parts;
  parts.behind = "x";
  ExpectRefused(
      parts.Bytes(),
      "its header counts 3 sequences and 3 document entries, expected "
      "94 bytes, got 95; copy the file again");
  parts.behind = std::string(3, '\0');
  ExpectRefused(parts.Bytes(),
                "its header counts 3 sequences and 3 document entries, and a "
                "mode for each sequence follows: these are not tokens alone; "
                "write the data set without modes");
  // More than there is memory, and than 64 bits hold.
  std::string bytes = Parts().Bytes();
  const uint64_t most = UINT64_MAX / 4;
  std::memcpy(&bytes[18], &most, sizeof(most));
  ExpectRefused(
      bytes,
      "its header counts 4611686018427387903 sequences and 3 document "
      "entries, expected more than 2^64 bytes, got 94; copy the file "
      "again");
}

TEST_F(TokenIndexTest, EveryCutIsNoticed) {
  const std::string whole = Parts().Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(Read(whole.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(dir_.File("t.idx"))))
        << size;
  }
}

// Each bit of an entry matters: nothing here is only looked at.
TEST_F(TokenIndexTest, EveryBitOfTheEntriesIsChecked) {
  const std::string whole = Parts().Bytes();
  for (size_t bit = 34 * 8; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const auto index = Read(bytes);
    // The last length is that of the tokens, and documents may begin elsewhere.
    if (index.ok()) {
      EXPECT_TRUE(index->tokens != 6 || (bit / 8 >= 78 && bit / 8 < 86)) << bit;
    }
  }
}

TEST_F(TokenIndexTest, EntriesThatContradictNameTheirPlace) {
  Parts parts;
  parts.lengths[1] = -1;
  ExpectRefused(parts.Bytes(),
                "expected sequence 1 to have 0 tokens or more, got -1 at byte "
                "offset 38; write the index again");
  parts = {};
  parts.begins[2] = 6;
  ExpectRefused(parts.Bytes(),
                "expected sequence 2 to begin at byte 8 of the tokens, where "
                "the one before it ends, got 6 at byte offset 62; write the "
                "index again");
  parts = {};
  parts.documents[0] = 1;
  ExpectRefused(parts.Bytes(),
                "expected document 0 to begin with sequence 0, got 1 at byte "
                "offset 70; write the index again");
  parts = {};
  parts.documents = {0, 2, 1, 3};
  ExpectRefused(parts.Bytes(),
                "expected document 2 to begin with sequence 2 or a later one, "
                "got 1 at byte offset 86; write the index again");
  parts = {};
  parts.documents = {0, 2};
  ExpectRefused(parts.Bytes(),
                "expected the documents to end with sequence 3, got 2 at byte "
                "offset 78; write the index again");
  parts = {};
  parts.documents = {};
  ExpectRefused(parts.Bytes(),
                "expected a document entry or more, got 0 at byte offset 26; "
                "write the index again");
}

TEST_F(TokenIndexTest, ThePairMustFit) {
  const auto open = [this](const std::string& name) {
    return TokenFile::Open(*vfs_, dir_.File(name), TokenEncoding::kAuto);
  };
  dir_.Write("t.idx", Parts().Bytes());
  EXPECT_THAT(open("t.idx"),
              StatusIs(absl::StatusCode::kNotFound,
                       absl::StrCat("'", dir_.File("t.idx"),
                                    "': expected its tokens beside it, in '",
                                    dir_.File("t.bin"),
                                    "', got no such file; keep the two "
                                    "together")));
  for (const size_t tokens : {5, 7}) {
    dir_.Write("t.bin", std::vector<uint16_t>(tokens, 1));
    EXPECT_THAT(open("t.idx"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat(
                             "'", dir_.File("t.bin"), "': its index '",
                             dir_.File("t.idx"),
                             "' counts 6 tokens of 2 bytes, expected 12 bytes, "
                             "got ",
                             tokens * 2, "; copy the two files again")));
  }
  dir_.Write("t.bin", std::vector<uint16_t>(6, 1));
  EXPECT_OK(open("t.idx"));
  // Tokens alone are not guessed at while their index says what they are.
  EXPECT_THAT(
      open("t.bin"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("'", dir_.File("t.bin"), "': its index '",
                            dir_.File("t.idx"),
                            "' lies beside it and says how to read it: "
                            "name ",
                            dir_.File("t.idx"), ", or ", dir_.File("t.bin"),
                            ":u16 or :u32 if these are raw words")));
  EXPECT_OK(TokenFile::Open(*vfs_, dir_.File("t.bin"), TokenEncoding::kU16));
  dir_.Write("t.idx", "some other program's index");
  EXPECT_OK(open("t.bin"));
}

// An I/O error at any operation is that error, with the file's name, and never
// an index that is taken for a smaller one.
TEST_F(TokenIndexTest, EveryFailingReadIsAnError) {
  dir_.Write("t.idx", Parts().Bytes());
  dir_.Write("t.bin", std::vector<uint16_t>(6, 1));
  Faults count;
  FaultyVfs counting(*vfs_, count);
  ASSERT_OK(
      TokenFile::Open(counting, dir_.File("t.idx"), TokenEncoding::kAuto));
  ASSERT_GT(count.operations, 3);
  for (int at = 0; at < count.operations; ++at) {
    Faults faults;
    faults.fail_at = at;
    FaultyVfs vfs(*vfs_, faults);
    EXPECT_THAT(TokenFile::Open(vfs, dir_.File("t.idx"), TokenEncoding::kAuto),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("injected")))
        << at;
  }
}

TEST_F(TokenIndexTest, ShortReadsChangeNothing) {
  dir_.Write("t.idx", Parts().Bytes());
  dir_.Write("t.bin", std::vector<uint16_t>{1, 2, 3, 4, 5, 6});
  Faults faults;
  faults.short_io = true;
  FaultyVfs vfs(*vfs_, faults);
  ASSERT_OK_AND_ASSIGN(const auto file, TokenFile::Open(vfs, dir_.File("t.idx"),
                                                        TokenEncoding::kAuto));
  std::vector<uint32_t> ids(6);
  ASSERT_OK(file->Read(0, absl::MakeSpan(ids)));
  EXPECT_EQ(ids, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(*LooksLikeIndex(vfs, dir_.File("t.idx")));
}

}  // namespace
}  // namespace accel::runtime
