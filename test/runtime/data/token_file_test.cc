// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Token files of every layout are read right; wrong ones are refused with place
// and remedy.
#include "runtime/data/token_file.h"

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

std::string LlmcHeader(uint32_t magic, uint32_t version, uint32_t count) {
  std::vector<uint32_t> words(256);
  words[0] = magic;
  words[1] = version;
  words[2] = count;
  return TempDir::Bytes(words);
}

class TokenFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      const std::string& content,
      TokenEncoding encoding = TokenEncoding::kAuto) {
    return TokenFile::Open(*vfs_, dir_.Write("t.bin", content), encoding);
  }

  void ExpectRefused(const std::string& content, const std::string& message,
                     TokenEncoding encoding = TokenEncoding::kAuto) {
    EXPECT_THAT(Open(content, encoding),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("'", path_, "': ", message)));
  }

  static std::vector<uint32_t> ReadAll(const TokenFile& file) {
    std::vector<uint32_t> ids(file.size());
    EXPECT_OK(file.Read(0, absl::MakeSpan(ids)));
    return ids;
  }

  TempDir dir_;
  std::string path_ = dir_.File("t.bin");
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(TokenFileTest, ReadsRaw16BitTokens) {
  ASSERT_OK_AND_ASSIGN(
      auto file, Open(TempDir::Bytes(std::vector<uint16_t>{5, 65535, 0})));
  EXPECT_EQ(file->size(), 3);
  EXPECT_EQ(file->Layout(), "16-bit tokens");
  EXPECT_EQ(ReadAll(*file), (std::vector<uint32_t>{5, 65535, 0}));
  std::vector<uint32_t> one(1);
  ASSERT_OK(file->Read(1, absl::MakeSpan(one)));
  EXPECT_EQ(one[0], 65535);
}

TEST_F(TokenFileTest, ReadsRaw32BitTokensOnRequest) {
  ASSERT_OK_AND_ASSIGN(auto file,
                       Open(TempDir::Bytes(std::vector<uint32_t>{128000, 7}),
                            TokenEncoding::kU32));
  EXPECT_EQ(ReadAll(*file), (std::vector<uint32_t>{128000, 7}));
  EXPECT_EQ(file->Layout(), "32-bit tokens");
}

TEST_F(TokenFileTest, FindsLlmcHeadersByItself) {
  ASSERT_OK_AND_ASSIGN(auto narrow,
                       Open(LlmcHeader(20240520, 1, 2) +
                            TempDir::Bytes(std::vector<uint16_t>{50256, 3})));
  EXPECT_EQ(ReadAll(*narrow), (std::vector<uint32_t>{50256, 3}));
  EXPECT_EQ(narrow->Layout(), "16-bit tokens, llm.c header");
  ASSERT_OK_AND_ASSIGN(auto wide,
                       Open(LlmcHeader(20240801, 7, 2) +
                            TempDir::Bytes(std::vector<uint32_t>{128001, 3})));
  EXPECT_EQ(ReadAll(*wide), (std::vector<uint32_t>{128001, 3}));
  EXPECT_EQ(wide->Layout(), "32-bit tokens, llm.c header");
}

TEST_F(TokenFileTest, RefusesHeadersThatDoNotFit) {
  ExpectRefused(LlmcHeader(20240520, 2, 0),
                "llm.c header 20240520: expected version 1, got 2");
  ExpectRefused(LlmcHeader(20240801, 1, 0),
                "llm.c header 20240801: expected version 7, got 1");
  ExpectRefused(LlmcHeader(20240520, 1, 3) + "1234",
                "its header says 3 tokens of 2 bytes, expected 1030 bytes, got "
                "1028");
  ExpectRefused(LlmcHeader(20240522, 1, 0),
                "this is an llm.c evaluation file (magic 20240522), not a "
                "stream of tokens");
  ExpectRefused(LlmcHeader(20240520, 1, 1) + "12",
                "expected 32-bit tokens, got an llm.c header of 16-bit ones",
                TokenEncoding::kU32);
  ExpectRefused(LlmcHeader(20240520, 1, 0),
                "expected tokens, got none; write some, for example with "
                "accel-data pack TEXT -o FILE.bin");
}

TEST_F(TokenFileTest, RefusesSizesThatAreNoTokens) {
  ExpectRefused("",
                "expected tokens, got none; write some, for example with "
                "accel-data pack TEXT -o FILE.bin");
  ExpectRefused("123",
                "expected 16-bit tokens, a multiple of 2 bytes, got 3 bytes; "
                "write the file again");
  ExpectRefused("123456",
                "expected 32-bit tokens, a multiple of 4 bytes, got 6 bytes; "
                "write the file again",
                TokenEncoding::kU32);
}

TEST_F(TokenFileTest, Raw32BitTokensAreNotTakenFor16BitOnes) {
  std::vector<uint32_t> ids(1000);
  std::iota(ids.begin(), ids.end(), 100u);
  ids[7] = 128000;
  ExpectRefused(
      TempDir::Bytes(ids),
      absl::StrCat("expected 16-bit tokens, got what looks like "
                   "32-bit ones; name it ",
                   path_, ":u32, or ", path_, ":u16 if it is right as it is"));
  EXPECT_OK(Open(TempDir::Bytes(ids), TokenEncoding::kU16));
  // Text as bytes, and ids that are small everywhere, are what they seem.
  EXPECT_OK(Open(TempDir::Bytes(std::vector<uint16_t>(1000, 'e'))));
  EXPECT_OK(Open(TempDir::Bytes(std::vector<uint16_t>(1000, 3))));
}

TEST_F(TokenFileTest, AnIdBeyondTheVocabularyNamesFilePositionAndOffset) {
  std::vector<uint16_t> ids(300'000, 9);
  ids[280'001] = 50300;
  ASSERT_OK_AND_ASSIGN(auto file, Open(TempDir::Bytes(ids)));
  file->SetVocabulary(50301);
  EXPECT_OK(file->CheckWhole());
  file->SetVocabulary(50257);
  EXPECT_THAT(
      file->CheckWhole(),
      StatusIs(absl::StatusCode::kOutOfRange,
               absl::StrCat("'", path_,
                            "': expected token ids below the vocabulary of "
                            "50257, got 50300 at token 280001 (byte offset "
                            "560002); use the tokenizer that belongs to the "
                            "model")));
}

TEST_F(TokenFileTest, TheByteOffsetCountsTheHeader) {
  ASSERT_OK_AND_ASSIGN(auto file,
                       Open(LlmcHeader(20240801, 7, 2) +
                            TempDir::Bytes(std::vector<uint32_t>{1, 300})));
  file->SetVocabulary(256);
  EXPECT_THAT(file->CheckWhole(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("'", path_,
                                    "': expected token ids below the "
                                    "vocabulary of 256, got 300 at token 1 "
                                    "(byte offset 1028); use the tokenizer "
                                    "that belongs to the model")));
}

TEST_F(TokenFileTest, TextAndArraysAreNotTakenForTokens) {
  const std::string text(100, 't');
  ExpectRefused(text, absl::StrCat("expected 16-bit tokens, got what looks "
                                   "like text; make tokens of it: accel-data "
                                   "pack ",
                                   path_, " -o FILE.bin; or name it ", path_,
                                   ":u16 if it is right as it is"));
  EXPECT_OK(Open(text, TokenEncoding::kU16));
  ExpectRefused("\x93NUMPY" + std::string(100, 't'),
                "expected 16-bit tokens, got an array of NumPy; give it to "
                "accel-run as NAME=FILE.npy");
  // Too little to tell.
  EXPECT_OK(Open("tt"));
}

}  // namespace
}  // namespace accel::runtime
