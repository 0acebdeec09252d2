// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers read well at every border between units.
#include "runtime/base/format.h"

#include <chrono>
#include <cstdlib>
#include <limits>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(FormatTest, BytesChangeUnitBeforeTheyReach1024) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes((uint64_t{1} << 30) - 1), "1 GiB");
  EXPECT_EQ(FormatBytes(uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "16 EiB");
}

std::string Duration(int64_t ns) {
  return FormatDuration(std::chrono::nanoseconds(ns));
}

TEST(FormatTest, DurationsChangeUnitWithoutSixtySeconds) {
  EXPECT_EQ(Duration(0), "0 ns");
  EXPECT_EQ(Duration(850), "850 ns");
  EXPECT_EQ(Duration(12'340), "12.3 us");
  EXPECT_EQ(Duration(20'000'000), "20 ms");
  EXPECT_EQ(Duration(999'999'999), "1 s");
  EXPECT_EQ(Duration(1'500'000'000), "1.5 s");
  EXPECT_EQ(Duration(59'960'000'000), "1m 00s");
  EXPECT_EQ(Duration(125'000'000'000), "2m 05s");
  EXPECT_EQ(Duration(11'220'000'000'000), "3h 07m");
  EXPECT_EQ(Duration(187'200'000'000'000), "2d 04h");
  EXPECT_EQ(Duration(-850), "-850 ns");
}

TEST(FormatTest, ExtremeDurationsDoNotOverflow) {
  EXPECT_EQ(Duration(INT64_MAX), "106751d 23h");
  EXPECT_EQ(Duration(INT64_MIN), "-106751d 23h");
}

TEST(FormatTest, CountsHaveThousandsSeparators) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(-1234567), "-1,234,567");
  EXPECT_EQ(FormatCount(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(FormatTest, RatesHaveThreeDigits) {
  EXPECT_EQ(FormatSi(0), "0");
  EXPECT_EQ(FormatSi(0.5), "0.50");
  EXPECT_EQ(FormatSi(999), "999");
  EXPECT_EQ(FormatSi(999.7), "1.00k");
  EXPECT_EQ(FormatSi(12'345), "12.3k");
  EXPECT_EQ(FormatSi(123'456), "123k");
  EXPECT_EQ(FormatSi(-1'240'000), "-1.24M");
  EXPECT_EQ(FormatSi(std::numeric_limits<double>::infinity()), "inf");
}

TEST(FormatTest, ShapesLookLikeLists) {
  EXPECT_EQ(FormatShape({}), "[]");
  EXPECT_EQ(FormatShape({4, 64}), "[4, 64]");
}

TEST(FormatTest, DoublesReadBackExactly) {
  for (const double value :
       {0.1, 1e-5, 2.3025851249694824, 5e-324, 1e300, -0.0, 1.0 / 3}) {
    EXPECT_EQ(std::strtod(FormatRoundTrip(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(FormatRoundTrip(0.1), "0.1");
  EXPECT_EQ(FormatRoundTrip(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(FormatRoundTrip(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace accel::runtime
