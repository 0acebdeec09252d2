// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of day as text.
#include "runtime/base/wall_clock.h"

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(WallClockTest, UtcIsIso8601WithMilliseconds) {
  EXPECT_EQ(FormatUtc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatUtc(1'795'392'000'123'999'999), "2026-11-23T00:00:00.123Z");
  // A leap day, and the last moment of a year.
  EXPECT_EQ(FormatUtc(1'709'210'096'000'000'000), "2024-02-29T12:34:56.000Z");
  EXPECT_EQ(FormatUtc(1'735'689'599'999'999'999), "2024-12-31T23:59:59.999Z");
  EXPECT_EQ(FormatUtc(-1), "1969-12-31T23:59:59.999Z");
}

TEST(WallClockTest, UtcIsReadBack) {
  EXPECT_EQ(ParseUtc("1970-01-01T00:00:00.000Z"), 0);
  EXPECT_EQ(ParseUtc("2026-11-23T00:00:00.123Z"), 1'795'392'000'123'000'000);
  EXPECT_EQ(ParseUtc("2024-02-29T12:34:56.000Z"), 1'709'210'096'000'000'000);
  EXPECT_EQ(ParseUtc("2024-12-31T23:59:59.999Z"), 1'735'689'599'999'000'000);
}

TEST(WallClockTest, WhatIsNoTimeIsRefused) {
  for (const char* text :
       {"", "yesterday", "2026-11-23T00:00:00Z", "2026-11-23 00:00:00.000Z",
        "2026-11-23T00:00:00.000Z ", "2026-02-29T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z",
        "2026-01-00T00:00:00.000Z", "2026-01-01T24:00:00.000Z",
        "2026-01-01T00:60:00.000Z", "2026-01-01T00:00:60.000Z",
        "1969-12-31T23:59:59.999Z", "9999-01-01T00:00:00.000Z"}) {
    EXPECT_EQ(ParseUtc(text), std::nullopt) << text;
  }
}

TEST(WallClockTest, ItIsLaterThanThisTestWasWritten) {
  EXPECT_GT(WallTimeNs(), 1'700'000'000'000'000'000);
}

}  // namespace
}  // namespace accel::runtime
