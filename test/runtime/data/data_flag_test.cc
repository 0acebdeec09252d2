// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every spelling of --data means one thing, and names its files or says why it
// does not.
#include "runtime/data/data_flag.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::SizeIs;

void ExpectFlag(const std::string& text, const std::string& name,
                const std::string& path, TokenEncoding encoding) {
  ASSERT_OK_AND_ASSIGN(const DataFlag flag, ParseDataFlag(text));
  EXPECT_EQ(flag.text, text);
  EXPECT_EQ(flag.name, name) << text;
  EXPECT_EQ(flag.path, path) << text;
  EXPECT_EQ(flag.encoding, encoding) << text;
}

TEST(DataFlagTest, ReadsEverySpelling) {
  ExpectFlag("x=a.npy", "x", "a.npy", TokenEncoding::kAuto);
  ExpectFlag("a.npy", "", "a.npy", TokenEncoding::kAuto);
  ExpectFlag("d/a.bin", "", "d/a.bin", TokenEncoding::kAuto);
  ExpectFlag("a.bin:u32", "", "a.bin", TokenEncoding::kU32);
  ExpectFlag("d/*.bin:u32", "", "d/*.bin", TokenEncoding::kU32);
  ExpectFlag("ids=a.tok:u16", "ids", "a.tok", TokenEncoding::kU16);
  ExpectFlag("./a=b.bin", "", "./a=b.bin", TokenEncoding::kAuto);
  ExpectFlag("x=/d/a=b.npy", "x", "/d/a=b.npy", TokenEncoding::kAuto);
}

TEST(DataFlagTest, RefusesTheRestSayingWhatIsExpected) {
  const std::string expected =
      ": expected [NAME=]FILE.npy, [NAME=]FILE.bin, FILE.bin:u16, "
      "FILE.bin:u32, FILE.idx or FILE.toml, got ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no file"},
      {"x=", "no file"},
      {"=a.npy", "an empty name"},
      {":u32", "no file"},
  };
  for (const auto& [text, got] : cases) {
    EXPECT_THAT(ParseDataFlag(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("--data ", text, expected, got)));
    EXPECT_THAT(ParseDataFlag(text, "--eval-data"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("--eval-data ", text, expected, got)));
  }
}

class DataFilesTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<std::string>> Find(const std::string& text) {
    auto flag = ParseDataFlag(text);
    EXPECT_OK(flag);
    return FindDataFiles(*vfs_, *flag);
  }

  void ExpectRefused(const std::string& text, const std::string& message) {
    EXPECT_THAT(Find(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("--data ", text, ": ", message)));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(DataFilesTest, APatternIsItsFilesInOrder) {
  const std::string b = dir_.Write("b.bin", "");
  const std::string a = dir_.Write("a.bin", "");
  dir_.Write("c.npy", "");
  EXPECT_THAT(Find(dir_.File("*.bin")), IsOkAndHolds(ElementsAre(a, b)));
  EXPECT_THAT(Find(dir_.File("*:u32")), IsOkAndHolds(SizeIs(3)));
}

TEST_F(DataFilesTest, AFileNamedLikeAPatternIsThatFile) {
  dir_.Write("a.bin", "");
  const std::string odd = dir_.Write("[a].bin", "");
  EXPECT_THAT(Find(odd), IsOkAndHolds(ElementsAre(odd)));
}

TEST_F(DataFilesTest, AMissingFileIsLeftToWhoOpensIt) {
  EXPECT_THAT(Find("none.bin"), IsOkAndHolds(ElementsAre("none.bin")));
  EXPECT_THAT(Find("none.txt"), IsOkAndHolds(ElementsAre("none.txt")));
}

TEST_F(DataFilesTest, NoMatchNamesThePattern) {
  const std::string pattern = dir_.File("*.bin");
  EXPECT_THAT(Find("ids=" + pattern),
              StatusIs(absl::StatusCode::kNotFound,
                       absl::StrCat("--data ids=", pattern,
                                    ": expected files that match '", pattern,
                                    "', got none; check the folder and the "
                                    "pattern")));
}

TEST_F(DataFilesTest, FilesOfTwoKindsAreNamed) {
  const std::string a = dir_.Write("a.bin", "");
  const std::string b = dir_.Write("b.npy", "");
  ExpectRefused(dir_.File("?.*"),
                absl::StrCat("expected files of one kind, got '", a, "' and '",
                             b, "'; give a pattern for each kind"));
}

TEST_F(DataFilesTest, ADirectorySaysHowToNameItsFiles) {
  ExpectRefused(
      dir_.path(),
      absl::StrCat("expected files, got the directory '", dir_.path(),
                   "'; name its files: --data '", dir_.path(),
                   "/*.bin' or --data 'NAME=", dir_.path(), "/*.npy'"));
  ExpectRefused("x=" + dir_.path(),
                absl::StrCat("expected files, got the directory '", dir_.path(),
                             "'; name its files: --data 'x=", dir_.path(),
                             "/*.bin' or --data 'x=", dir_.path(), "/*.npy'"));
}

TEST_F(DataFilesTest, ATextSaysHowToMakeTokensOfIt) {
  const std::string text = dir_.Write("train.txt", "To be, or not to be");
  ExpectRefused(
      text, absl::StrCat("expected tokens (FILE.bin) or an array "
                         "(FILE.npy), got the text '",
                         text, "'; make tokens of it: accel-data pack ", text,
                         " -o train.bin"));
  const std::string lines = dir_.Write("train.jsonl", "{\"text\": \"To\"}\n");
  ExpectRefused(
      lines,
      absl::StrCat("expected tokens (FILE.bin) or an array (FILE.npy), "
                   "got the text '",
                   lines, "'; make tokens of it: accel-data pack --field text ",
                   lines, " -o train.bin"));
}

TEST_F(DataFilesTest, AnythingElseIsNeither) {
  const std::string other = dir_.Write("train.tok", std::string("\1\0\2\0", 4));
  ExpectRefused(other,
                absl::StrCat("expected tokens (FILE.bin) or an array "
                             "(FILE.npy), got '",
                             other,
                             "', which is neither; of tokens under another "
                             "name say the width: FILE:u16 or FILE:u32"));
}

TEST_F(DataFilesTest, RemediesNameTheOptionThatWasGiven) {
  for (const std::string& text :
       {dir_.path(), "ids=" + dir_.Write("mix.toml", "")}) {
    ASSERT_OK_AND_ASSIGN(const DataFlag flag,
                         ParseDataFlag(text, "--eval-data"));
    EXPECT_THAT(
        FindDataFiles(*vfs_, flag),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 ::testing::AllOf(
                     ::testing::StartsWith("--eval-data " + text + ": "),
                     ::testing::Not(::testing::HasSubstr(" --data")))));
  }
}

}  // namespace
}  // namespace accel::runtime
