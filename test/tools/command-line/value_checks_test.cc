// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of single values: the whole complaint of each.
#include "tools/command-line/value_checks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using tools::FindNearest;
using tools::Number;
using tools::OneOf;
using tools::WholeNumber;

std::string Complaint(const CLI::Validator& check, std::string text) {
  return check(text);
}

TEST(ValueChecksTest, WholeNumbersAreDecimalAndInTheirRange) {
  const CLI::Validator check = WholeNumber(1, 10);
  EXPECT_EQ(Complaint(check, "10"), "");
  EXPECT_EQ(Complaint(check, "10x"), "expected a whole number, got '10x'");
  EXPECT_EQ(Complaint(check, "1.5"), "expected a whole number, got '1.5'");
  EXPECT_EQ(Complaint(check, "0x10"), "expected a whole number, got '0x10'");
  EXPECT_EQ(Complaint(check, " 1"), "expected a whole number, got ' 1'");
  EXPECT_EQ(Complaint(check, ""), "expected a whole number, got ''");
  EXPECT_EQ(Complaint(check, "-"), "expected a whole number, got '-'");
  EXPECT_EQ(Complaint(check, "11"),
            "expected a whole number between 1 and 10, got '11'");
  EXPECT_EQ(Complaint(WholeNumber(0), "-1"),
            "expected a whole number of at least 0, got '-1'");
  EXPECT_EQ(Complaint(WholeNumber(0), "9223372036854775808"),
            "expected a whole number between 0 and 9223372036854775807, got "
            "'9223372036854775808'");
}

// The parser's own conversion would take 010 for an octal number.
TEST(ValueChecksTest, LeadingZerosDoNotMakeANumberOctal) {
  std::string text = "010";
  EXPECT_EQ(WholeNumber(0)(text), "");
  EXPECT_EQ(text, "10");
}

TEST(ValueChecksTest, NumbersAreFiniteAndInTheirRange) {
  EXPECT_EQ(Complaint(Number(0), "1e-4"), "");
  EXPECT_EQ(Complaint(Number(0), "1e-4x"), "expected a number, got '1e-4x'");
  EXPECT_EQ(Complaint(Number(0), "nan"), "expected a number, got 'nan'");
  EXPECT_EQ(Complaint(Number(0), "inf"), "expected a number, got 'inf'");
  EXPECT_EQ(Complaint(Number(0), "-1"),
            "expected a number of at least 0, got '-1'");
  EXPECT_EQ(Complaint(Number(0.001, 1e6), "0"),
            "expected a number between 0.001 and 1e+06, got '0'");
}

TEST(ValueChecksTest, AWordNearAChoiceIsRecognised) {
  const CLI::Validator check = OneOf({"folded", "full", "accesses"});
  EXPECT_EQ(Complaint(check, "full"), "");
  EXPECT_EQ(Complaint(check, "fodled"),
            "expected folded, full or accesses, got 'fodled'; did you mean "
            "folded?");
  EXPECT_EQ(Complaint(check, "everything"),
            "expected folded, full or accesses, got 'everything'");
}

TEST(ValueChecksTest, TheNearestWordIsTheOneWithFewestEdits) {
  EXPECT_EQ(FindNearest("wieght_decay", {"lr", "weight_decay", "height"}),
            "weight_decay");
  EXPECT_EQ(FindNearest("l", {"lr", "beta1"}), "lr");
  EXPECT_EQ(FindNearest("xyz", {"lr", "beta1"}), std::nullopt);
}

}  // namespace
}  // namespace accel::testing
