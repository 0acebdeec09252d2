// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction costs a rank, whole and in parts.
#include "runtime/plan/cost/instruction_cost.h"

#include "gtest/gtest.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::CostOf;
using runtime::RankBinding;

constexpr uint64_t kElements = 10;

class InstructionCostTest : public ::testing::Test {
 protected:
  InstructionCostTest() : view_(*ViewOf(MakeShardedPlan(kElements))) {}

  RankBinding Rank(uint64_t rank, uint64_t ranks) const {
    return RankBinding::OfRun(view_.manifest(), rank, ranks, 1);
  }

  runtime::PlanView view_;
};

// Of 10 elements in granules of 4 three ranks own 4, 4 and 2.
TEST_F(InstructionCostTest, AKernelOverAPartCostsThatPart) {
  planpb::Instruction launch;
  *launch.mutable_launch()->mutable_part() = TestShard(kElements);
  launch.add_flops()->set_count(1000);
  launch.set_bytes_moved(200);
  EXPECT_EQ(CostOf(view_, launch, Rank(0, 1)).flops, 1000u);
  EXPECT_EQ(CostOf(view_, launch, Rank(1, 3)).flops, 400u);
  EXPECT_EQ(CostOf(view_, launch, Rank(1, 3)).bytes, 80u);
  EXPECT_EQ(CostOf(view_, launch, Rank(2, 3)).flops, 200u);
  // Which is nothing on a rank that owns nothing.
  EXPECT_EQ(CostOf(view_, launch, Rank(3, 4)).flops, 0u);
}

TEST_F(InstructionCostTest, ACopyOfAPartMovesThatPart) {
  planpb::Instruction copy;
  copy.mutable_copy()->set_destination(1);
  *copy.add_accesses()->mutable_shard() = TestShard(kElements);
  copy.add_accesses();
  copy.set_bytes_moved(80);
  EXPECT_EQ(CostOf(view_, copy, Rank(0, 3)).bytes, 32u);
  EXPECT_EQ(CostOf(view_, copy, Rank(2, 3)).bytes, 16u);
}

TEST_F(InstructionCostTest, WhatIsNotCutCostsEveryRankAll) {
  planpb::Instruction launch;
  launch.mutable_launch();
  launch.add_flops()->set_count(7);
  launch.add_flops()->set_count(8);
  launch.set_bytes_moved(9);
  EXPECT_EQ(CostOf(view_, launch, Rank(1, 3)).flops, 15u);
  EXPECT_EQ(CostOf(view_, launch, Rank(1, 3)).bytes, 9u);
}

TEST_F(InstructionCostTest, TheRooflineIsForWhatARankDoesAlone) {
  planpb::Instruction instruction;
  instruction.set_bytes_moved(8);
  instruction.mutable_launch();
  EXPECT_TRUE(runtime::HasRoofline(instruction));
  instruction.mutable_fetch();
  EXPECT_FALSE(runtime::HasRoofline(instruction));
  instruction.mutable_collective();
  EXPECT_FALSE(runtime::HasRoofline(instruction));
  instruction.mutable_launch();
  instruction.set_bytes_moved(0);
  EXPECT_FALSE(runtime::HasRoofline(instruction));
  instruction.add_flops()->set_count(1);
  EXPECT_TRUE(runtime::HasRoofline(instruction));
}

}  // namespace
}  // namespace accel::testing
