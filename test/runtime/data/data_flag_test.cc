// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every spelling of --data means one thing, and the rest is refused.
#include "runtime/data/data_flag.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

void ExpectFlag(const std::string& text, const std::string& name,
                const std::string& path, DataFlag::Kind kind,
                TokenEncoding encoding) {
  ASSERT_OK_AND_ASSIGN(const DataFlag flag, ParseDataFlag(text));
  EXPECT_EQ(flag.text, text);
  EXPECT_EQ(flag.name, name) << text;
  EXPECT_EQ(flag.path, path) << text;
  EXPECT_EQ(flag.kind, kind) << text;
  EXPECT_EQ(flag.encoding, encoding) << text;
}

TEST(DataFlagTest, ReadsEverySpelling) {
  using Kind = DataFlag::Kind;
  ExpectFlag("x=a.npy", "x", "a.npy", Kind::kArray, TokenEncoding::kAuto);
  ExpectFlag("a.npy", "", "a.npy", Kind::kArray, TokenEncoding::kAuto);
  ExpectFlag("d/a.bin", "", "d/a.bin", Kind::kTokens, TokenEncoding::kAuto);
  ExpectFlag("a.bin:u32", "", "a.bin", Kind::kTokens, TokenEncoding::kU32);
  ExpectFlag("ids=a.tok:u16", "ids", "a.tok", Kind::kTokens,
             TokenEncoding::kU16);
  ExpectFlag("./a=b.bin", "", "./a=b.bin", Kind::kTokens, TokenEncoding::kAuto);
  ExpectFlag("x=/d/a=b.npy", "x", "/d/a=b.npy", Kind::kArray,
             TokenEncoding::kAuto);
}

TEST(DataFlagTest, RefusesTheRestSayingWhatIsExpected) {
  const std::string expected =
      ": expected [NAME=]FILE.npy, [NAME=]FILE.bin, FILE.bin:u16 or "
      "FILE.bin:u32, got ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no file"},
      {"x=", "no file"},
      {"=a.npy", "an empty name"},
      {":u32", "no file"},
      {"a.txt", "a file of another kind"},
      {"a.bin:u8", "a file of another kind"},
  };
  for (const auto& [text, got] : cases) {
    EXPECT_THAT(ParseDataFlag(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("--data ", text, expected, got)));
  }
}

}  // namespace
}  // namespace accel::runtime
