// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to a rank's part of a buffer: which bytes they are, on any number of
// ranks; what is refused; and that the proofs about schedules and memory see
// those bytes and no others.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/verify/verify_memory.h"
#include "runtime/plan/verify/verify_schedule.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Access;
using runtime::MemoryLayout;
using runtime::RankBinding;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kElements = 10;

TEST(ShardedAccessTest, EachRankHasItsPartOfTheBytes) {
  for (const uint64_t elements : {2u, 4u, 10u, 17u, 64u, 1001u}) {
    const SamplePlan plan = MakeShardedPlan(elements);
    ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
    const Access access =
        PartAccess(plan, "replicated", Access::MODE_READ, elements);
    for (const uint64_t ranks : {1u, 2u, 3u, 4u, 1024u}) {
      const uint64_t groups = (elements + kShardGranule - 1) / kShardGranule;
      const uint64_t length = kShardGranule * ((groups + ranks - 1) / ranks);
      uint64_t covered = 0;
      for (uint64_t rank = 0; rank < ranks; rank += ranks > 8 ? 11 : 1) {
        ASSERT_OK_AND_ASSIGN(
            const auto layout,
            MemoryLayout::Create(view, FsdpBinding(rank, ranks)));
        const auto all = layout.RangeOf(access.buffer(), 0);
        const auto part = layout.RangeOf(access, 0);
        const uint64_t first = std::min(elements, rank * length);
        const uint64_t last = std::min(elements, (rank + 1) * length);
        EXPECT_EQ(part.begin - all.begin, first * 4)
            << elements << " on " << ranks << ", rank " << rank;
        EXPECT_EQ(part.size(), (last - first) * 4)
            << elements << " on " << ranks << ", rank " << rank;
        EXPECT_EQ(layout.BufferBytes(plan.BufferIndex("master")), length * 4);
        covered += part.size();
      }
      if (ranks <= 8) {
        EXPECT_EQ(covered, elements * 4);
      }
    }
  }
}

TEST(ShardedAccessTest, ItBeginsAtTheOffset) {
  SamplePlan plan = MakeShardedPlan(kElements);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  ASSERT_OK_AND_ASSIGN(const auto layout,
                       MemoryLayout::Create(view, FsdpBinding(1, 2)));
  const Access access = PartAccess(plan, "gathered", Access::MODE_READ, 7, 12);
  // 7 elements: 4 of rank 0, 3 of rank 1.
  EXPECT_EQ(layout.RangeOf(access, 0).begin, 64u + 12 + 16);
  EXPECT_EQ(layout.RangeOf(access, 0).size(), 12u);
}

struct Fault {
  std::string text;
  std::function<void(Access&)> make;
};

TEST(ShardedAccessTest, WhatIsNoPartIsRefused) {
  const std::vector<Fault> faults = {
      {"buffer 'filled': a shard has granule 0, expected at least 1",
       [](Access& a) { a.mutable_shard()->set_granule(0); }},
      {"buffer 'filled': unknown mesh axis 9",
       [](Access& a) {
         a.mutable_shard()->add_axes(static_cast<planpb::MeshAxis>(9));
       }},
      {"buffer 'filled': a rank's part has no other size, expected bytes and "
       "thread stride 0, got 4 and 0",
       [](Access& a) { a.set_bytes(4); }},
      {"got 0 and 64", [](Access& a) { a.set_thread_stride(64); }},
      {"buffer 'filled': 11 elements from byte 0 on do not lie in its 40",
       [](Access& a) { a.mutable_shard()->set_elements(11); }},
      {"10 elements from byte 4 on do not lie in its 40",
       [](Access& a) { a.set_offset(4); }},
      {"do not lie in its 40",
       [](Access& a) { a.mutable_shard()->set_elements(UINT64_MAX / 2); }},
  };
  for (const Fault& fault : faults) {
    SamplePlan plan = MakeShardedPlan(kElements);
    fault.make(*plan.functions[0].back().mutable_accesses(0));
    const auto view = ViewOf(plan);
    ASSERT_FALSE(view.ok()) << fault.text;
    EXPECT_THAT(std::string(view.status().message()), HasSubstr(fault.text));
  }
}

TEST(ShardedAccessTest, TheWholeMustLieInTheBufferOfEachRank) {
  SamplePlan plan = MakeShardedPlan(kElements);
  // Of a buffer whose size depends on the ranks: it holds 10 elements on one.
  plan.functions[0].back().mutable_accesses(0)->set_buffer(
      plan.BufferIndex("master"));
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  EXPECT_OK(MemoryLayout::Create(view, FsdpBinding(0, 1)));
  EXPECT_THAT(
      MemoryLayout::Create(view, FsdpBinding(0, 2)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("buffer 'master': the 10 elements from byte 0 on, of "
                         "which each rank has a part, do not lie in its 32")));
}

TEST(ShardedAccessTest, AMetricIsNoPart) {
  SamplePlan plan = MakeShardedPlan(kElements);
  Access* access = plan.Step("metric loss").mutable_accesses(0);
  *access->mutable_shard() = TestShard(1);
  EXPECT_THAT(ViewOf(plan),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("metric: a rank's part of a buffer")));
}

absl::Status Verify(const SamplePlan& plan, uint64_t rank, uint64_t ranks) {
  const auto view = ViewOf(plan);
  EXPECT_OK(view);
  const auto layout = MemoryLayout::Create(*view, FsdpBinding(rank, ranks));
  EXPECT_OK(layout);
  const absl::Status memory = runtime::VerifyMemory(*view, *layout);
  EXPECT_OK(memory);
  return runtime::VerifySchedule(*view, *layout);
}

TEST(ShardedAccessTest, TheShardedPlanIsOrderedOnAnyNumberOfRanks) {
  const SamplePlan plan = MakeShardedPlan(kElements);
  for (const uint64_t ranks : {1u, 2u, 3u, 4u, 1024u}) {
    for (const uint64_t rank : {uint64_t{0}, ranks / 2, ranks - 1}) {
      EXPECT_OK(Verify(plan, rank, ranks)) << rank << " of " << ranks;
    }
  }
}

// One stream fills bytes [16, 32), the other one its part: [0, 16), [16, 32)
// and [32, 40) on three ranks, nothing on the fourth one of four.
TEST(ShardedAccessTest, ARaceWithANeighboursPartIsOneAndWithOthersIsNone) {
  SamplePlan plan = MakeShardedPlan(kElements);
  planpb::Instruction fill = plan.functions[0].back();
  fill.set_id(static_cast<uint32_t>(plan.step().size()));
  fill.set_name("fill own");
  fill.set_stream(kCommunication);
  plan.step().push_back(fill);
  fill.set_id(fill.id() + 1);
  fill.set_name("fill bytes");
  fill.set_stream(kCompute);
  Access* bytes = fill.mutable_accesses(0);
  bytes->clear_shard();
  bytes->set_offset(16);
  bytes->set_bytes(16);
  plan.step().push_back(fill);
  const auto race = StatusIs(
      absl::StatusCode::kFailedPrecondition,
      AllOf(HasSubstr("(fill 'fill own', stream 'communication') before "),
            HasSubstr("(fill 'fill bytes', stream 'compute')"),
            HasSubstr("both touch buffer 'filled'")));
  EXPECT_THAT(Verify(plan, 0, 1), race);
  EXPECT_THAT(Verify(plan, 0, 2), race);
  EXPECT_OK(Verify(plan, 1, 2));
  EXPECT_OK(Verify(plan, 0, 3));
  EXPECT_THAT(Verify(plan, 1, 3), race);
  EXPECT_OK(Verify(plan, 2, 3));
  EXPECT_OK(Verify(plan, 3, 4));
  EXPECT_OK(Verify(plan, 1000, 1024));
}

// Found by the mutator of plans: a division by the granule that is not there.
TEST(ShardedAccessTest, ACollectiveThatDoesNotSayWhatItMovesIsRefused) {
  SamplePlan plan = MakeShardedPlan(kElements);
  plan.Step("gather").mutable_collective()->clear_shard();
  EXPECT_THAT(ViewOf(plan),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("(collective 'gather')"),
                             HasSubstr("expected a shard, which says what the "
                                       "collective moves, got none"))));
}

// The same, of what the planner counted.
TEST(ShardedAccessTest, AMemorySummaryWithoutAGranuleIsRefused) {
  SamplePlan plan = MakeShardedPlan(kElements);
  plan.manifest.mutable_memory()
      ->mutable_transient_at_peak(0)
      ->mutable_bytes()
      ->mutable_alternatives(0)
      ->mutable_terms(0)
      ->mutable_shard()
      ->clear_granule();
  EXPECT_THAT(ViewOf(plan), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("the memory summary: ")));
}

// Read beyond the list of buckets by accel-inspect.
TEST(ShardedAccessTest, ACollectiveForABucketThatIsNotThereIsRefused) {
  SamplePlan plan = MakeShardedPlan(kElements);
  planpb::Collective& gather = *plan.Step("gather").mutable_collective();
  gather.set_bucket_plus_one(3);
  EXPECT_THAT(ViewOf(plan), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("refers to bucket 2 of 2")));
  gather.set_bucket_plus_one(2);
  gather.set_segment_plus_one(2);
  EXPECT_THAT(ViewOf(plan), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("refers to segment 1 of 1")));
  gather.set_segment_plus_one(1);
  EXPECT_OK(ViewOf(plan));
  gather.set_bucket_plus_one(0);
  EXPECT_THAT(ViewOf(plan),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected a segment of a bucket, got one of "
                                 "none")));
}

// Its bytes would be few, modulo 2^64, and its elements many.
TEST(ShardedAccessTest, ACollectiveOfMoreThan64BitsIsRefused) {
  SamplePlan plan = MakeShardedPlan(kElements);
  plan.Step("gather").mutable_collective()->mutable_shard()->set_elements(
      (uint64_t{1} << 59) + kElements);
  EXPECT_THAT(ViewOf(plan),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a collective of 576460752303423498 elements "
                                 "exceeds 64 bits")));
}

// An empty part in the middle of another access is no overlap.
TEST(ShardedAccessTest, AnEmptyPartOverlapsNothingWithinAnInstruction) {
  SamplePlan plan = MakeShardedPlan(kElements);
  planpb::Buffer* twin = plan.manifest.add_buffers();
  *twin = plan.Buffer("initial");
  twin->set_name("twin");
  planpb::Instruction& load = plan.functions[0][plan.functions[0].size() - 4];
  ASSERT_EQ(load.name(), "load initial");
  // Four elements from the middle on: all of them rank 0's.
  *load.add_accesses() = PartAccess(plan, "twin", Access::MODE_WRITE, 4, 8);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  for (const uint64_t rank : {0u, 1u}) {
    ASSERT_OK_AND_ASSIGN(const auto layout,
                         MemoryLayout::Create(view, FsdpBinding(rank, 2)));
    const absl::Status status = runtime::VerifyMemory(view, layout);
    if (rank == 0) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("but they share bytes")));
    } else {
      EXPECT_OK(status);
    }
  }
}

void SetDegree(planpb::Manifest& manifest, planpb::MeshAxis axis,
               uint64_t degree) {
  manifest.mutable_mesh()->mutable_axes(axis - 1)->set_degree(degree);
}

TEST(RunBindingTest, RanksLieAlongTheSymbolicAxis) {
  planpb::Manifest manifest = MakeShardedPlan(kElements).manifest;
  EXPECT_EQ(runtime::AxisOfRun(manifest), planpb::AXIS_FSDP);
  const RankBinding binding = RankBinding::OfRun(manifest, 2, 3, 5);
  EXPECT_EQ(binding.degree(planpb::AXIS_FSDP), 3u);
  EXPECT_EQ(binding.coordinate(planpb::AXIS_FSDP), 2u);
  EXPECT_EQ(binding.degree(planpb::AXIS_REPLICA), 1u);
  EXPECT_EQ(binding.threads, 5u);
  EXPECT_EQ(binding.rank(), 2u);
  EXPECT_EQ(binding.rank_count(), 3u);
  SetDegree(manifest, planpb::AXIS_FSDP, 1);
  SetDegree(manifest, planpb::AXIS_REPLICA, 0);
  EXPECT_EQ(RankBinding::OfRun(manifest, 2, 3, 5).degree(planpb::AXIS_REPLICA),
            3u);
  EXPECT_EQ(RankBinding::OfRun(manifest, 2, 3, 5).degree(planpb::AXIS_FSDP),
            1u);
}

TEST(SharedBytesTest, CountWhatTheRanksTouchOfTheRoom) {
  const SamplePlan plan = MakeShardedPlan(kElements);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  const uint64_t arena = 64 + (kElements + kShardGranule * 1024) * 4;
  // N L(N): 12, 2 * 8, 3 * 4, 4 * 4, 1024 * 4 elements.
  const std::vector<std::pair<uint64_t, uint64_t>> touched = {
      {1, 12}, {2, 16}, {3, 12}, {4, 16}, {1024, 4096}};
  for (const auto& [ranks, elements] : touched) {
    ASSERT_OK_AND_ASSIGN(const auto layout,
                         MemoryLayout::Create(view, FsdpBinding(0, ranks)));
    EXPECT_EQ(layout.SharedBytes(), elements * 4) << ranks;
    EXPECT_EQ(layout.SpaceBytes(planpb::SPACE_SHARED), arena);
    EXPECT_EQ(layout.PrivateBytes(), layout.SpaceBytes(planpb::SPACE_DEVICE));
    EXPECT_EQ(layout.TotalBytes(), layout.PrivateBytes() + elements * 4 +
                                       layout.staging().BytesOfRank());
    EXPECT_EQ(layout.staging().BytesOfRank() != 0, ranks > 1);
  }
}

TEST(SharedBytesTest, MoreThanTheArenaIsRefused) {
  SamplePlan plan = MakeShardedPlan(kElements);
  plan.manifest.mutable_memory()
      ->mutable_transient_at_peak(0)
      ->mutable_bytes()
      ->mutable_alternatives(0)
      ->mutable_terms(0)
      ->set_factor(8 * 4 * 8);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  EXPECT_OK(MemoryLayout::Create(view, FsdpBinding(0, 1)));
  EXPECT_THAT(MemoryLayout::Create(view, FsdpBinding(0, 1024)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "the gathered buffers take 131072 bytes on 1024 ranks, "
                       "but their arena has 16488"));
}

TEST(SharedBytesTest, WithoutACountTheWholeArenaIsMeant) {
  SamplePlan plan = MakeShardedPlan(kElements);
  plan.manifest.clear_memory();
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  ASSERT_OK_AND_ASSIGN(const auto layout,
                       MemoryLayout::Create(view, FsdpBinding(0, 2)));
  EXPECT_EQ(layout.SharedBytes(), layout.SpaceBytes(planpb::SPACE_SHARED));
}

}  // namespace
}  // namespace accel::testing
