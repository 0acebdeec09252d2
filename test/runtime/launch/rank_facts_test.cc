// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks differ in is named, with both ranks and both values.
#include "runtime/launch/rank_facts.h"

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;

absl::StatusOr<RankFacts> Decode(const std::string& bytes) {
  return DecodeFacts(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()));
}

TEST(RankFactsTest, FactsComeBackAsTheyWere) {
  const RankFacts facts = {{"--seed", "7"}, {"data", ""}, {"x", "a b\nc"}};
  ASSERT_OK_AND_ASSIGN(const std::string bytes, EncodeFacts(facts));
  EXPECT_EQ(bytes.size(), kFactsBytes);
  EXPECT_THAT(Decode(bytes), IsOkAndHolds(facts));
}

TEST(RankFactsTest, WhatFillsEveryByteComesBack) {
  const RankFacts facts = {{"n", std::string(kFactsBytes - 3, 'v')}};
  ASSERT_OK_AND_ASSIGN(const std::string bytes, EncodeFacts(facts));
  EXPECT_THAT(Decode(bytes), IsOkAndHolds(facts));
}

TEST(RankFactsTest, TooManyFactsAreRefused) {
  EXPECT_THAT(EncodeFacts({{"n", std::string(kFactsBytes - 2, 'v')}}),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "what the ranks must agree on takes 16385 bytes, "
                       "expected at most 16384; give fewer or shorter --set"));
}

TEST(RankFactsTest, BytesWithoutAnEndAreRefused) {
  for (const std::string& bytes :
       {std::string("name"), std::string("name\0value", 10)}) {
    EXPECT_THAT(Decode(bytes),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "the facts of a rank: expected pairs of names and "
                         "values"));
  }
}

TEST(RankFactsTest, RanksThatAgreeAreFine) {
  const RankFacts facts = {{"--seed", "7"}, {"--steps", "3"}};
  EXPECT_OK(CompareFacts({facts, facts, facts}));
  EXPECT_OK(CompareFacts({facts}));
}

TEST(RankFactsTest, EveryDifferenceIsNamedWithBothRanksAndValues) {
  EXPECT_THAT(CompareFacts({{{"--seed", "7"}, {"--steps", "3"}},
                            {{"--seed", "8"}, {"--steps", "3"}},
                            {{"--seed", "7"}, {"--set lr", "1"}}}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "the ranks of a run must agree:\n"
                       "  - --seed: rank 0 has '7', rank 1 has '8'\n"
                       "  - --steps: rank 0 has '3', rank 2 has nothing\n"
                       "  - --set lr: rank 0 has nothing, rank 2 has '1'"));
}

TEST(RankFactsTest, ALongListIsCut) {
  std::vector<RankFacts> ranks(21, RankFacts{{"--seed", "8"}});
  ranks[0][0].value = "7";
  const absl::Status status = CompareFacts(ranks);
  EXPECT_THAT(std::string(status.message()),
              ::testing::EndsWith("\n  - --seed: rank 0 has '7', rank 16 has "
                                  "'8'\n  - and 4 more"));
}

}  // namespace
}  // namespace accel::runtime
