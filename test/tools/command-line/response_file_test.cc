// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a response file. What accelc says of one that cannot be read is
// in test/tools/accelc/response-files.test.
#include "tools/command-line/response_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tools::SplitWords;

TEST(SplitWordsTest, BlanksAndLinesPartWords) {
  EXPECT_THAT(*SplitWords("a  b\t\nc\r\n d"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(*SplitWords(""), IsEmpty());
  EXPECT_THAT(*SplitWords(" \n\t"), IsEmpty());
}

TEST(SplitWordsTest, QuotesAndBackslashesKeepThemTogether) {
  EXPECT_THAT(*SplitWords(R"("a b" 'c d' e\ f)"),
              ElementsAre("a b", "c d", "e f"));
  EXPECT_THAT(*SplitWords(R"(--name="a b"'c'd)"), ElementsAre("--name=a bcd"));
  EXPECT_THAT(*SplitWords(R"("a\"b" 'a\b' "" '')"),
              ElementsAre("a\"b", "a\\b", "", ""));
  // The last character escapes nothing.
  EXPECT_THAT(*SplitWords("a\\"), ElementsAre("a\\"));
}

TEST(SplitWordsTest, AnOpenQuoteIsAnError) {
  EXPECT_THAT(SplitWords("a 'b c"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "expected the quote ' to be closed, got the end of the "
                       "file"));
}

}  // namespace
}  // namespace accel::testing
