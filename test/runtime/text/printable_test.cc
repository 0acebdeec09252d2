// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/text/printable.h"

#include <string>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using std::string_literals::operator""s;

TEST(PrintableTest, LeavesWrittenTextAsItIs) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("h.0/attn \\x1b 'π' 漢字 😀"),
            "h.0/attn \\x1b 'π' 漢字 😀");
}

TEST(PrintableTest, WritesControlCharactersOut) {
  EXPECT_EQ(Printable("a\x1b[31mRED\x1b[0m"), "a\\x1b[31mRED\\x1b[0m");
  EXPECT_EQ(Printable("a\nb\r\tc\x7f\0d"s), "a\\nb\\r\\tc\\x7f\\x00d");
  // CSI as one character, in UTF-8 and as the byte that is none.
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m");
}

TEST(PrintableTest, WritesTurnsOfTheDirectionOut) {
  EXPECT_EQ(Printable("a\u202eb\u2066c\u200fd\u061ce\u2028f"),
            "a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028f");
}

TEST(PrintableTest, WritesBytesOutThatAreNoUtf8) {
  EXPECT_EQ(Printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("end\xe6\xbc"), "end\\xe6\\xbc");  // cut short
}

TEST(PrintableTest, KeepsLinesWhereTheyAreOurs) {
  EXPECT_EQ(PrintableLines("one\n  two\x1b\r\n"), "one\n  two\\x1b\\r\n");
}

}  // namespace
}  // namespace accel::runtime
