// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes over ranks and threads.
#include "runtime/plan/sizes/size_expr.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Shard;
using planpb::SizeExpr;
using runtime::ConstantSize;
using runtime::EvaluateSize;
using runtime::OwnedElements;
using runtime::RankBinding;
using runtime::ShardLength;

Shard ShardOf(uint64_t elements, uint64_t granule) {
  Shard shard;
  shard.set_elements(elements);
  shard.set_granule(granule);
  shard.add_axes(planpb::AXIS_FSDP);
  return shard;
}

RankBinding Ranks(uint64_t count, uint64_t rank) {
  RankBinding binding;
  binding.degrees[planpb::AXIS_FSDP - 1] = count;
  binding.coordinates[planpb::AXIS_FSDP - 1] = rank;
  return binding;
}

// The design's formula: L(N) = g ceil(S / (g N)).
TEST(SizeExprTest, ShardsHaveTheDocumentedLength) {
  const Shard shard = ShardOf(1000, 128);
  EXPECT_THAT(ShardLength(shard, Ranks(1, 0)), IsOkAndHolds(1024u));
  EXPECT_THAT(ShardLength(shard, Ranks(3, 0)), IsOkAndHolds(384u));
  EXPECT_THAT(ShardLength(shard, Ranks(1000, 0)), IsOkAndHolds(128u));
}

TEST(SizeExprTest, OwnedRangesPartTheSegmentForAnyNumberOfRanks) {
  for (const uint64_t elements : {1u, 127u, 128u, 1000u, 4097u}) {
    const Shard shard = ShardOf(elements, 128);
    for (uint64_t ranks = 1; ranks <= 40; ++ranks) {
      uint64_t next = 0;
      for (uint64_t rank = 0; rank < ranks; ++rank) {
        ASSERT_OK_AND_ASSIGN(const auto owned,
                             OwnedElements(shard, Ranks(ranks, rank)));
        EXPECT_EQ(owned.begin, next);
        next = owned.end;
      }
      EXPECT_EQ(next, elements);
    }
  }
}

TEST(SizeExprTest, TheFirstAxisVariesSlowest) {
  Shard shard = ShardOf(12, 1);
  shard.clear_axes();
  shard.add_axes(planpb::AXIS_REPLICA);
  shard.add_axes(planpb::AXIS_FSDP);
  RankBinding binding = Ranks(3, 1);
  binding.degrees[planpb::AXIS_REPLICA - 1] = 2;
  binding.coordinates[planpb::AXIS_REPLICA - 1] = 1;
  ASSERT_OK_AND_ASSIGN(const auto owned, OwnedElements(shard, binding));
  EXPECT_EQ(owned.begin, 8u);  // rank 1 * 3 + 1 of 6, two elements each
  EXPECT_EQ(owned.end, 10u);
}

TEST(SizeExprTest, ASizeIsTheMaximumOfSums) {
  SizeExpr size;
  planpb::SizeSum* first = size.add_alternatives();
  first->add_terms()->set_factor(100);
  planpb::SizeTerm* threads = first->add_terms();
  threads->set_factor(8);
  threads->set_per_thread(true);
  planpb::SizeTerm* shard = size.add_alternatives()->add_terms();
  shard->set_factor(32);  // bits
  *shard->mutable_shard() = ShardOf(1000, 128);
  RankBinding binding = Ranks(2, 0);
  binding.threads = 4;
  EXPECT_THAT(EvaluateSize(size, binding), IsOkAndHolds(512u * 4));
  binding.threads = 1000;
  EXPECT_THAT(EvaluateSize(size, binding), IsOkAndHolds(8100u));
  EXPECT_EQ(ConstantSize(size), std::nullopt);
  EXPECT_EQ(ConstantSize(runtime::ConstantSizeExpr(7)), 7u);
  EXPECT_EQ(ConstantSize(SizeExpr()), 0u);
}

TEST(SizeExprTest, SubByteElementsRoundUp) {
  SizeExpr size;
  planpb::SizeTerm* term = size.add_alternatives()->add_terms();
  term->set_factor(4);
  *term->mutable_shard() = ShardOf(5, 1);
  EXPECT_THAT(EvaluateSize(size, Ranks(1, 0)), IsOkAndHolds(3u));
}

TEST(SizeExprTest, ALaunchRunsAllUnitsOrThoseOfARanksPart) {
  planpb::Launch launch;
  planpb::KernelEntry entry;
  entry.set_tiles(10);
  EXPECT_THAT(runtime::LaunchTiles(launch, entry, Ranks(2, 1)),
              IsOkAndHolds(10u));
  *launch.mutable_part() = ShardOf(1000, 128);
  EXPECT_THAT(runtime::LaunchTiles(launch, entry, Ranks(2, 0)),
              IsOkAndHolds(6u));
  EXPECT_THAT(runtime::LaunchTiles(launch, entry, Ranks(2, 1)),
              IsOkAndHolds(5u));
  EXPECT_THAT(runtime::LaunchTiles(launch, entry, Ranks(100, 99)),
              IsOkAndHolds(0u));
  entry.set_tiles(3);
  EXPECT_THAT(runtime::LaunchTiles(launch, entry, Ranks(2, 0)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "expected a rank's part of a multiple of 3 tiles, got "
                       "one of 1000 elements"));
}

TEST(SizeExprTest, OverflowIsAnError) {
  SizeExpr size;
  planpb::SizeTerm* term = size.add_alternatives()->add_terms();
  term->set_factor(uint64_t{1} << 63);
  term->set_per_thread(true);
  RankBinding binding;
  binding.threads = 2;
  EXPECT_THAT(EvaluateSize(size, binding),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a size expression exceeds 64 bits"));
  term->set_per_thread(false);
  *size.mutable_alternatives(0)->add_terms() = *term;
  EXPECT_FALSE(EvaluateSize(size, binding).ok());
  EXPECT_FALSE(ShardLength(ShardOf(UINT64_MAX, 1u << 20), Ranks(1, 0)).ok());
  EXPECT_FALSE(ShardLength(ShardOf(1, UINT64_MAX), Ranks(2, 0)).ok());
}

TEST(SizeExprTest, UnknownAndDoubleAxesAreRefused) {
  Shard shard = ShardOf(1, 1);
  EXPECT_OK(runtime::ValidateShard(shard));
  shard.add_axes(planpb::AXIS_FSDP);
  EXPECT_THAT(runtime::ValidateShard(shard),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "mesh axis 'fsdp' is named twice"));
  shard.set_axes(1, static_cast<planpb::MeshAxis>(7));
  EXPECT_THAT(
      runtime::ValidateShard(shard),
      StatusIs(absl::StatusCode::kInvalidArgument, "unknown mesh axis 7"));
  shard.clear_axes();
  shard.set_granule(0);
  EXPECT_THAT(runtime::ValidateShard(shard),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a shard has granule 0, expected at least 1"));
}

}  // namespace
}  // namespace accel::testing
