// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of files of tokens is what is in them.
#include "tools/accel-data/token_report.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

class TokenReportTest : public ::testing::Test {
 protected:
  tools::Print Print() {
    return [this](const std::string& line) {
      absl::StrAppend(&said_, line, "\n");
    };
  }

  static std::string Sha256Of(const std::string& bytes) {
    runtime::Sha256 hash;
    hash.Update(bytes);
    return runtime::ToHex(hash.Finish());
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::string a_ =
      dir_.Write("a.bin", std::vector<uint16_t>{'a', 'b', 0, 'c', 0});
  std::string b_ = dir_.Write("b.bin", std::vector<uint16_t>{1000, 7});
  tools::ReportOptions options_;
  std::string said_;
};

TEST_F(TokenReportTest, InfoCountsEachFileAndAll) {
  options_.files = {a_, b_};
  options_.end_of_document = 0;
  ASSERT_OK(tools::ReportInfo(*vfs_, options_, Print()));
  EXPECT_EQ(
      said_,
      absl::StrCat(a_,
                   "\n  layout     16-bit tokens\n  tokens     5\n"
                   "  ids        0 to 99: a vocabulary of at least 100\n"
                   "  documents  2, ended by token 0\n  sha256     ",
                   Sha256Of(dir_.Read("a.bin")), "\n", b_,
                   "\n  layout     16-bit tokens\n  tokens     2\n"
                   "  ids        7 to 1,000: a vocabulary of at least 1,001\n"
                   "  documents  1, ended by token 0\n  sha256     ",
                   Sha256Of(dir_.Read("b.bin")),
                   "\nall 2 files, as one stream\n  layout     16-bit tokens\n"
                   "  tokens     7\n"
                   "  ids        0 to 1,000: a vocabulary of at least 1,001\n"
                   "  documents  3, ended by token 0\n  sha256     ",
                   Sha256Of(dir_.Read("a.bin") + dir_.Read("b.bin")), "\n"));
}

TEST_F(TokenReportTest, InfoDoesNotGuessWhatEndsDocuments) {
  options_.files = {dir_.Write("w.bin", std::vector<uint32_t>{70'000, 2}) +
                    ":u32"};
  ASSERT_OK(tools::ReportInfo(*vfs_, options_, Print()));
  EXPECT_THAT(said_,
              ::testing::HasSubstr(
                  "  layout     32-bit tokens\n  tokens     2\n"
                  "  ids        2 to 70,000: a vocabulary of at least 70,001\n"
                  "  documents  unknown; --end-of-document ID counts them\n"));
}

TEST_F(TokenReportTest, VerifyNamesWhatIsGoodAndAllThatIsNot) {
  const std::string odd = dir_.Write("odd.bin", "123");
  options_.files = {a_, b_, odd, "none.bin"};
  options_.vocabulary = 256;
  EXPECT_THAT(
      tools::VerifyFiles(*vfs_, options_, Print()),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          absl::StrCat(
              "3 of 4 files cannot be trained on:\n  - '", b_,
              "': expected token ids below the vocabulary of 256, got 1000 at "
              "token 0 (byte offset 0); use the tokenizer that belongs to the "
              "model\n  - '",
              odd,
              "': expected 16-bit tokens, a multiple of 2 bytes, got 3 bytes; "
              "write the file again\n  - 'none.bin': expected a file of "
              "training data, got no such file; check the path")));
  EXPECT_EQ(said_, absl::StrCat(a_, ": good: 5 16-bit tokens, ids 0 to 99\n"));
}

TEST_F(TokenReportTest, VerifyWantsOneLayout) {
  const std::string wide =
      dir_.Write("w.bin", std::vector<uint32_t>{70'000, 2}) + ":u32";
  options_.files = {a_, wide};
  EXPECT_THAT(tools::VerifyFiles(*vfs_, options_, Print()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("1 of 2 files cannot be trained on: '", a_,
                                    "' and '", wide,
                                    "': expected files of one layout, got "
                                    "16-bit tokens and 32-bit tokens; write "
                                    "the files of a stream alike")));
}

TEST_F(TokenReportTest, HeadShowsTokensAndTheirText) {
  options_.files = {a_};
  options_.count = 4;
  ASSERT_OK(tools::PrintHead(*vfs_, options_, Print()));
  EXPECT_EQ(said_, absl::StrCat(a_,
                                ": the first 4 of 5 16-bit tokens\n"
                                "       0      97     98      0     99\n"
                                "text: \"ab\\x00c\" (bytes)\n"));
}

TEST_F(TokenReportTest, HeadDoesNotGuessATokenizer) {
  options_.files = {b_};
  ASSERT_OK(tools::PrintHead(*vfs_, options_, Print()));
  EXPECT_THAT(said_, ::testing::EndsWith(
                         "text: unknown; --tokenizer MODEL decodes them\n"));
  options_.tokenizer = "bytes";
  EXPECT_THAT(tools::PrintHead(*vfs_, options_, Print()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--tokenizer bytes: expected ids below 256, got 1000; "
                       "take the tokenizer that the file was made with"));
}

}  // namespace
}  // namespace accel::testing
