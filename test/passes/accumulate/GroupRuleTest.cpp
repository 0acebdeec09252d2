// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rules say; texts that are none are those of
// group-parameters-invalid.mlir.
#include "passes/Accumulate/GroupRule.h"

#include "gtest/gtest.h"

namespace accel::test {
namespace {

GroupRule parse(llvm::StringRef text) {
  std::string problem;
  std::optional<GroupRule> rule = parseGroupRule(text, problem);
  EXPECT_TRUE(rule) << text.str() << ": " << problem;
  return rule.value_or(GroupRule());
}

TEST(GroupRuleTest, EachPropertyAloneAndBoth) {
  GroupRule factor = parse("wte:lr=0.1x");
  EXPECT_EQ(factor.pattern, "wte");
  EXPECT_EQ(factor.getFactor(0.5), 0.1);
  EXPECT_FALSE(factor.decay);
  GroupRule decay = parse("wte:decay=0");
  EXPECT_FALSE(decay.getFactor(0.5));
  EXPECT_EQ(decay.decay, 0.0);
  GroupRule both = parse("wte:decay=0.25,lr=1e-3");
  EXPECT_EQ(both.getFactor(0.5), 1e-3 / 0.5);
  EXPECT_EQ(both.decay, 0.25);
}

TEST(GroupRuleTest, PatternsHaveColonsAndCommas) {
  EXPECT_EQ(parse("h[.][[:digit:]]{1,2}[.]:lr=0x").pattern,
            "h[.][[:digit:]]{1,2}[.]");
}

TEST(GroupRuleTest, LastPropertyMustEnd) {
  std::string problem;
  EXPECT_FALSE(parseGroupRule("wte:lr=1x,", problem));
  EXPECT_EQ(problem, "expected lr=X or decay=X behind the colon, got ''");
}

} // namespace
} // namespace accel::test
