// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What collectives touch of the staging slots, against sums made by hand.
// test/runtime/comm/staging_pages_test.cc compares it with pages of a group.
#include "runtime/plan/memory/staging.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Collective;
using runtime::kStagingSlotBytes;
using runtime::StagingNeed;

constexpr uint64_t kSlot = kStagingSlotBytes;

// One collective of f32, whose output lies in shared memory or not.
StagingNeed NeedOf(Collective::Kind kind, uint64_t elements, uint64_t ranks,
                   planpb::Space output = planpb::SPACE_DEVICE) {
  planpb::Manifest manifest;
  manifest.add_buffers()->set_space(output);
  planpb::Instruction instruction;
  instruction.add_accesses()->set_buffer(0);
  *instruction.mutable_collective() = TestCollective(kind, elements);
  instruction.mutable_collective()->set_output_plus_one(1);
  StagingNeed need(FsdpBinding(0, ranks));
  EXPECT_THAT(need.Add(manifest, {instruction}), IsOk());
  return need;
}

TEST(StagingNeedTest, OneRankNeedsNothing) {
  for (const auto kind :
       {Collective::KIND_ALL_GATHER, Collective::KIND_REDUCE_SCATTER,
        Collective::KIND_ALL_REDUCE, Collective::KIND_BROADCAST,
        Collective::KIND_BARRIER}) {
    EXPECT_EQ(NeedOf(kind, 1000, 1).BytesOfRank(), 0u);
    EXPECT_EQ(NeedOf(kind, 1000, 1).BytesOfHost(), 0u);
  }
}

TEST(StagingNeedTest, AScatterWritesTheOthersPartsAndReadsItsOwnOfOthers) {
  // L(2) = 500, L(4) = 252.
  const StagingNeed two = NeedOf(Collective::KIND_REDUCE_SCATTER, 1000, 2);
  EXPECT_EQ(two.BytesOfRank(), (1 + 1) * 500u * 4);
  EXPECT_EQ(two.BytesOfHost(), 2 * 500u * 4);
  const StagingNeed four = NeedOf(Collective::KIND_REDUCE_SCATTER, 1000, 4);
  EXPECT_EQ(four.BytesOfRank(), (3 + 3) * 252u * 4);
  EXPECT_EQ(four.BytesOfHost(), 4 * 3 * 252u * 4);
}

TEST(StagingNeedTest, AnAllReduceReadsTheSumsToo) {
  // Cut at multiples of 128: 256 elements for each of 4 ranks.
  const StagingNeed need = NeedOf(Collective::KIND_ALL_REDUCE, 1000, 4);
  EXPECT_EQ(need.BytesOfRank(), (1000 + 3 * 256u + 1000 * 3 / 4) * 4);
  EXPECT_EQ(need.BytesOfHost(), 4 * 1000u * 4);
}

TEST(StagingNeedTest, AGatherPassesThroughUnlessItsOutputIsShared) {
  const StagingNeed apart = NeedOf(Collective::KIND_ALL_GATHER, 1000, 4);
  EXPECT_EQ(apart.BytesOfRank(), 4 * 252u * 4);
  EXPECT_EQ(apart.BytesOfHost(), 1000u * 4);
  const StagingNeed shared =
      NeedOf(Collective::KIND_ALL_GATHER, 1000, 4, planpb::SPACE_SHARED);
  EXPECT_EQ(shared.BytesOfRank(), 0u);
  EXPECT_EQ(shared.BytesOfHost(), 0u);
}

TEST(StagingNeedTest, WhatDoesNotFitTakesTheSecondSlot) {
  // One and a half slots, then more than two.
  const StagingNeed some =
      NeedOf(Collective::KIND_REDUCE_SCATTER, kSlot / 4 * 3 / 2, 2);
  EXPECT_EQ(some.BytesOfHost(), kSlot + kSlot / 2);
  EXPECT_EQ(some.BytesOfRank(), kSlot + kSlot / 2);
  const StagingNeed all = NeedOf(Collective::KIND_REDUCE_SCATTER, kSlot, 2);
  EXPECT_EQ(all.BytesOfHost(), 2 * kSlot);
  EXPECT_EQ(all.BytesOfRank(), 2 * kSlot);
}

TEST(StagingNeedTest, DoesNotFallWhileShardsHaveOneLength) {
  // One granule for each of 250 ranks and more.
  for (const auto kind :
       {Collective::KIND_ALL_GATHER, Collective::KIND_REDUCE_SCATTER,
        Collective::KIND_ALL_REDUCE, Collective::KIND_BROADCAST}) {
    uint64_t before = 0;
    for (uint64_t ranks = 250; ranks <= 1024; ++ranks) {
      const uint64_t bytes = NeedOf(kind, 1000, ranks).BytesOfRank();
      EXPECT_GE(bytes, before) << ranks;
      before = bytes;
    }
  }
}

TEST(StagingNeedTest, TheLargestOfAllCollectivesCounts) {
  planpb::Manifest manifest;
  StagingNeed need(FsdpBinding(0, 2));
  std::vector<planpb::Instruction> instructions(3);
  for (int i = 0; i < 3; ++i) {
    *instructions[i].mutable_collective() =
        TestCollective(Collective::KIND_REDUCE_SCATTER, i == 1 ? 1000 : 10);
  }
  EXPECT_THAT(need.Add(manifest, instructions), IsOk());
  EXPECT_EQ(need.BytesOfHost(), 2 * 500u * 4);
}

}  // namespace
}  // namespace accel::testing
