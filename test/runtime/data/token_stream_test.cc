// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of tokens one after the other are one stream.
#include "runtime/data/token_stream.h"

#include <unistd.h>

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

class TokenStreamTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<TokenStream>> Open(
      const std::vector<std::string>& paths) {
    std::vector<TokenPath> files;
    for (const std::string& path : paths) {
      files.push_back({path});
    }
    return TokenStream::Open(*vfs_, files);
  }

  // Tokens first, first + 1, ...
  std::string Count(const std::string& name, uint16_t first, size_t count) {
    std::vector<uint16_t> tokens(count);
    std::iota(tokens.begin(), tokens.end(), first);
    return dir_.Write(name, tokens);
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(TokenStreamTest, EveryReadCrossesFilesAsIfTheyWereOne) {
  ASSERT_OK_AND_ASSIGN(
      const auto stream,
      Open({Count("a.bin", 0, 5), Count("b.bin", 5, 1), Count("c.bin", 6, 4)}));
  EXPECT_EQ(stream->size(), 10);
  for (int64_t first = 0; first <= 10; ++first) {
    for (int64_t count = 0; first + count <= 10; ++count) {
      std::vector<uint32_t> expected(count);
      std::iota(expected.begin(), expected.end(), first);
      std::vector<uint32_t> ids(count);
      ASSERT_OK(stream->Read(first, absl::MakeSpan(ids)));
      EXPECT_EQ(ids, expected) << first;
    }
  }
}

TEST_F(TokenStreamTest, IsNamedByItsFilesAndDigestedByItsContent) {
  const std::string whole = Count("whole.bin", 0, 10);
  const std::string a = Count("a.bin", 0, 5);
  const std::string b = Count("b.bin", 5, 5);
  ASSERT_OK_AND_ASSIGN(const auto one, Open({whole}));
  ASSERT_OK_AND_ASSIGN(const auto two, Open({a, b}));
  ASSERT_OK_AND_ASSIGN(const auto turned, Open({b, a}));
  EXPECT_EQ(one->Name(), absl::StrCat("'", whole, "'"));
  EXPECT_EQ(two->Name(), absl::StrCat("'", a, "' to '", b, "' (2 files)"));
  EXPECT_EQ(*one->Digest(), *two->Digest());
  EXPECT_NE(*one->Digest(), *turned->Digest());
}

TEST_F(TokenStreamTest, FilesOfTwoLayoutsAreNamed) {
  const std::string narrow = Count("a.bin", 0, 5);
  std::vector<uint32_t> words(256 + 1);
  words[0] = 20240801;
  words[1] = 7;
  words[2] = 1;
  const std::string wide = dir_.Write("b.bin", words);
  EXPECT_THAT(
      Open({narrow, wide}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("'", narrow, "' and '", wide,
                            "': expected files of one layout, got 16-bit "
                            "tokens and 32-bit tokens, llm.c header; write the "
                            "files of a stream alike")));
}

TEST_F(TokenStreamTest, AFaultIsOfItsFile) {
  const std::string a = Count("a.bin", 0, 5);
  const std::string b = Count("b.bin", 5, 5);
  ASSERT_OK_AND_ASSIGN(const auto stream, Open({a, b}));
  EXPECT_OK(stream->SetVocabulary(10));
  EXPECT_THAT(
      stream->SetVocabulary(9),
      StatusIs(absl::StatusCode::kOutOfRange,
               absl::StrCat("'", b,
                            "': expected token ids below the vocabulary of 9, "
                            "got 9 at token 4 (byte offset 8); use the "
                            "tokenizer that belongs to the model")));
  const std::string empty = dir_.Write("empty.bin", "");
  EXPECT_THAT(Open({a, empty}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("'", empty,
                                    "': expected tokens, got none; write some, "
                                    "for example with accel-data pack TEXT -o "
                                    "FILE.bin")));
}

TEST_F(TokenStreamTest, ALargeStreamIsCheckedWhenItIsRead) {
  const std::string path = dir_.Write("big.bin", "");
  // A sparse file: zeros take no room on the disk.
  const int64_t tokens = static_cast<int64_t>(kWholeCheckLimit) / 2 - 10;
  ASSERT_EQ(::truncate(path.c_str(), tokens * 2), 0);
  const std::string last = Count("last.bin", 65'535 - 19, 20);
  ASSERT_OK_AND_ASSIGN(const auto stream, Open({path, last}));
  ASSERT_OK(stream->SetVocabulary(256));
  std::vector<uint32_t> ids(4);
  EXPECT_OK(stream->Read(0, absl::MakeSpan(ids)));
  EXPECT_THAT(
      stream->Read(tokens - 2, absl::MakeSpan(ids)),
      StatusIs(absl::StatusCode::kOutOfRange,
               absl::StrCat("'", last,
                            "': expected token ids below the vocabulary of "
                            "256, got 65516 at token 0 (byte offset 0); use "
                            "the tokenizer that belongs to the model")));
}

}  // namespace
}  // namespace accel::runtime
