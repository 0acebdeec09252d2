// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step sends, against sums made by hand.
#include "runtime/plan/cost/step_traffic.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_placement.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Collective;
using planpb::Instruction;

constexpr uint64_t kMovedElements = 10;  // L(2) = 8, L(3) = 4
constexpr uint64_t kMovedBytes = kMovedElements * 4;

// One segment in slot 7.
class Step {
 public:
  Step& Repeat(uint32_t instructions) {
    Instruction& repeat = Add();
    repeat.mutable_repeat()->set_last(repeat.id() + instructions);
    return *this;
  }
  Step& Move(Collective::Kind kind, uint32_t segment = 1) {
    Instruction& instruction = Add();
    instruction.add_accesses()->set_buffer(1);
    instruction.add_accesses()->set_buffer(7);
    instruction.mutable_accesses(1)->set_bytes(kMovedBytes);
    Collective* collective = instruction.mutable_collective();
    *collective = TestCollective(kind, kMovedElements);
    collective->set_bucket_plus_one(segment == 0 ? 0 : 1);
    collective->set_segment_plus_one(segment);
    collective->set_input_plus_one(1);
    collective->set_output_plus_one(2);
    return *this;
  }
  Step& Read(planpb::Phase phase, uint64_t offset = 0) {
    Instruction& instruction = Add();
    instruction.set_phase(phase);
    instruction.add_accesses()->set_buffer(7);
    instruction.mutable_accesses(0)->set_offset(offset);
    instruction.mutable_accesses(0)->set_bytes(8);
    return *this;
  }

  std::vector<Instruction> instructions;

 private:
  Instruction& Add() {
    Instruction& added = instructions.emplace_back();
    added.set_id(static_cast<uint32_t>(instructions.size() - 1));
    return added;
  }
};

planpb::Manifest OneSegment() {
  planpb::Manifest manifest;
  manifest.set_microbatch(4);
  manifest.add_buckets()->add_segments()->set_elements(kMovedElements);
  return manifest;
}

TEST(StepTrafficTest, RoundsAreWholeEvenIfTheBatchIsNot) {
  EXPECT_EQ(runtime::IterationsOf(OneSegment(), 1, 32), 8u);
  EXPECT_EQ(runtime::IterationsOf(OneSegment(), 3, 32), 3u);
  EXPECT_EQ(runtime::IterationsOf(OneSegment(), 8, 33), 2u);
  EXPECT_EQ(runtime::IterationsOf(OneSegment(), 1024, 1), 1u);
}

TEST(StepTrafficTest, WhatIsInTheRepeatCountsOncePerRound) {
  Step step;
  step.Repeat(2)
      .Move(Collective::KIND_ALL_GATHER)
      .Move(Collective::KIND_REDUCE_SCATTER)
      .Move(Collective::KIND_ALL_GATHER)
      .Move(Collective::KIND_ALL_REDUCE, /*segment=*/0);
  const auto traffic =
      runtime::StepTraffic(step.instructions, FsdpBinding(0, 3), 5);
  ASSERT_OK(traffic.status());
  EXPECT_EQ(traffic->gathered, 6u * 2 * 4 * 4);
  EXPECT_EQ(traffic->scattered, 5u * 2 * 4 * 4);
  EXPECT_EQ(traffic->all_reduced, 2u * 2 * 4 * 4);
  EXPECT_EQ(traffic->total(), 11u * 32 + 64);
  const auto limits = runtime::LimitsOfTraffic(step.instructions);
  EXPECT_EQ(limits.per_microbatch.gathered, kMovedBytes);
  EXPECT_EQ(limits.per_microbatch.scattered, kMovedBytes);
  EXPECT_EQ(limits.per_step.gathered, kMovedBytes);
  EXPECT_EQ(limits.per_step.all_reduced, 0u);
  EXPECT_EQ(limits.scalars_per_step, 2 * kMovedBytes);
}

// What is no bucket's is statistics there and losses or norms behind it.
TEST(StepTrafficTest, ValuesInTheRepeatCountPerMicrobatch) {
  Step step;
  step.Repeat(1).Move(Collective::KIND_ALL_REDUCE, /*segment=*/0);
  step.instructions.back().mutable_collective()->clear_bucket_plus_one();
  const auto limits = runtime::LimitsOfTraffic(step.instructions);
  EXPECT_EQ(limits.per_microbatch.all_reduced, 2 * kMovedBytes);
  EXPECT_EQ(limits.scalars_per_step, 0u);
}

TEST(StepTrafficTest, MoreThan64BitsAreAnError) {
  Step step;
  step.Repeat(1).Move(Collective::KIND_ALL_GATHER);
  EXPECT_THAT(
      runtime::StepTraffic(step.instructions, FsdpBinding(0, 3), UINT64_MAX / 4)
          .status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::HasSubstr("exceeds 64 bits")));
}

TEST(StepTrafficTest, GathersAreToldApartByTheirReaders) {
  Step step;
  step.Repeat(9)
      .Move(Collective::KIND_ALL_GATHER)
      .Read(planpb::PHASE_FORWARD)
      .Move(Collective::KIND_ALL_GATHER)
      .Read(planpb::PHASE_FORWARD)
      .Read(planpb::PHASE_BACKWARD)
      .Move(Collective::KIND_ALL_GATHER)
      .Read(planpb::PHASE_FORWARD, /*offset=*/kMovedBytes)  // beside it
      .Read(planpb::PHASE_BACKWARD)
      .Move(Collective::KIND_REDUCE_SCATTER)
      .Read(planpb::PHASE_FORWARD);
  const auto segments =
      runtime::CountSegmentTraffic(OneSegment(), step.instructions);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].for_forward, 1u);
  EXPECT_EQ(segments[0].for_both, 1u);
  EXPECT_EQ(segments[0].for_backward, 1u);
  EXPECT_EQ(segments[0].gathers(), 3u);
  EXPECT_EQ(segments[0].scatters, 1u);
  EXPECT_EQ(segments[0].gathers_per_step, 0u);
}

TEST(MemoryPlacementTest, ClassesAddUpToAllThatARankTouches) {
  SamplePlan plan = MakeShardedPlan(1000);
  for (const uint64_t ranks : {1, 2, 3, 5}) {
    const auto placement =
        runtime::MemoryPlacement::Create(plan.manifest, FsdpBinding(0, ranks));
    ASSERT_OK(placement.status());
    const auto classes = placement->BytesByClass(plan.manifest);
    uint64_t total = 0;
    for (const uint64_t bytes : classes) {
      total += bytes;
    }
    EXPECT_EQ(total, placement->TotalBytes());
    const uint64_t length = 4 * ((1000 + 4 * ranks - 1) / (4 * ranks));
    EXPECT_EQ(classes[planpb::CLASS_GATHERED - 1], ranks * length * 4);
  }
}

// Two of them in the same place count once, and nothing counts twice.
TEST(MemoryPlacementTest, GradientsInTheArenaAreNoActivations) {
  planpb::Manifest manifest;
  planpb::Arena* arena = manifest.add_arenas();
  arena->set_space(planpb::SPACE_DEVICE);
  arena->set_bytes(1000);
  for (const uint64_t offset : {0, 64, 512}) {
    planpb::Buffer* buffer = manifest.add_buffers();
    buffer->set_space(planpb::SPACE_DEVICE);
    buffer->set_region(planpb::REGION_TRANSIENT);
    buffer->set_memory_class(planpb::CLASS_GRADIENTS);
    *buffer->mutable_bytes() = runtime::ConstantSizeExpr(128);
    buffer->set_offset(offset);
  }
  const auto placement =
      runtime::MemoryPlacement::Create(manifest, runtime::RankBinding());
  ASSERT_OK(placement.status());
  const auto classes = placement->BytesByClass(manifest);
  EXPECT_EQ(classes[planpb::CLASS_GRADIENTS - 1], 192u + 128);
  EXPECT_EQ(classes[planpb::CLASS_ACTIVATIONS - 1], 1000u - 192 - 128);
}

}  // namespace
}  // namespace accel::testing
