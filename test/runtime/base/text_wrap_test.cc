// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines break between words, and columns are counted as a terminal does.
#include "runtime/base/text_wrap.h"

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(TextWrapTest, ColumnsAreCharactersAndColoursTakeNone) {
  EXPECT_EQ(DisplayWidth("loss"), 4);
  EXPECT_EQ(DisplayWidth("\x1b[1mloss\x1b[0m"), 4);
  EXPECT_EQ(DisplayWidth("\xe2\xa1\x80\xc3\xa4"), 2);
  EXPECT_EQ(DisplayWidth("\x1b["), 0);  // cut short
}

TEST(TextWrapTest, AShortLineStaysAsItIs) {
  EXPECT_EQ(WrapWords("a  b", 4), "a  b");
  EXPECT_EQ(WrapWords("a long line", 0), "a long line");
  EXPECT_EQ(WrapWords("", 4), "");
}

TEST(TextWrapTest, ALongLineBreaksBetweenWords) {
  EXPECT_EQ(WrapWords("warning: the model learns nothing", 20),
            "warning: the model\n  learns nothing");
  EXPECT_EQ(WrapWords("    - first second", 12), "    - first\n      second");
}

TEST(TextWrapTest, WhatFollowsALabelStaysBehindIt) {
  EXPECT_EQ(WrapWords("data    one two three", 16),
            "data    one two\n        three");
  EXPECT_EQ(WrapWords("  loss    1 at step 1, 2 at step 2", 20),
            "  loss    1 at step\n          1, 2 at\n          step 2");
}

TEST(TextWrapTest, AWordLongerThanTheLineStaysWhole) {
  EXPECT_EQ(WrapWords("see /a/very/long/path now", 10),
            "see\n  /a/very/long/path\n  now");
}

TEST(TextWrapTest, EachLineBreaksByItself) {
  EXPECT_EQ(WrapWords("one two\nthree four", 8), "one two\nthree\n  four");
}

}  // namespace
}  // namespace accel::runtime
