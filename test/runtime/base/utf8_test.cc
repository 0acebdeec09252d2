// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 is told from what is not, to the byte.
#include "runtime/base/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

void ExpectPrefix(const std::string& text, size_t size, bool may_go_on) {
  const Utf8Prefix prefix = FindUtf8Prefix(text);
  EXPECT_EQ(prefix.size, size) << text;
  EXPECT_EQ(prefix.may_go_on, may_go_on) << text;
}

TEST(Utf8Test, WholeCharactersOfEveryLength) {
  ExpectPrefix("", 0, true);
  ExpectPrefix("a\u00e9\u20ac\U0001f600z", 11, true);
  ExpectPrefix("\xed\x9f\xbf\xee\x80\x80", 6, true);  // beside surrogates
  ExpectPrefix("\xf4\x8f\xbf\xbf", 4, true);          // U+10FFFF
}

TEST(Utf8Test, ACharacterThatIsCutMayGoOn) {
  ExpectPrefix("a\xc3", 1, true);
  ExpectPrefix("a\xe2\x82", 1, true);
  ExpectPrefix("a\xf0\x9f\x98", 1, true);
}

TEST(Utf8Test, WhatIsNoCharacterMayNot) {
  ExpectPrefix("a\x80", 1, false);              // a continuation alone
  ExpectPrefix("a\xc3(", 1, false);             // no continuation
  ExpectPrefix("a\xc1\xbf", 1, false);          // overlong
  ExpectPrefix("a\xe0\x9f\xbf", 1, false);      // overlong
  ExpectPrefix("a\xf0\x8f\xbf\xbf", 1, false);  // overlong
  ExpectPrefix("a\xed\xa0\x80", 1, false);      // a surrogate
  ExpectPrefix("a\xf4\x90", 1, false);          // beyond U+10FFFF
  ExpectPrefix("a\xff", 1, false);
}

TEST(LooksLikeTextTest, TextHasLinesAndTabsButNoOtherControl) {
  EXPECT_TRUE(LooksLikeText("To be,\tor\r\nnot \u00e9"));
  EXPECT_TRUE(LooksLikeText("cut \xc3"));
  EXPECT_FALSE(LooksLikeText(""));
  EXPECT_FALSE(LooksLikeText(std::string("a\0b", 3)));
  EXPECT_FALSE(LooksLikeText("a\x1b"));
  EXPECT_FALSE(LooksLikeText("a\xff"));
}

}  // namespace
}  // namespace accel::runtime
