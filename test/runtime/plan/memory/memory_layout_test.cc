// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank's memory is for, part by part.
#include "runtime/plan/memory/memory_layout.h"

#include <cstdint>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "runtime/plan/memory/memory_placement.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::MemoryLayout;
using runtime::MemoryPart;

void CheckParts(const SamplePlan& plan, const runtime::RankBinding& binding) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  ASSERT_OK_AND_ASSIGN(const auto layout, MemoryLayout::Create(view, binding));
  uint64_t sum = 0;
  std::set<std::string> names;
  for (const MemoryPart& part : layout.PrivateParts()) {
    EXPECT_GT(part.bytes, 0u) << part.name;
    EXPECT_TRUE(names.emplace(part.name).second) << part.name << " twice";
    sum += part.bytes;
  }
  EXPECT_EQ(sum, layout.PrivateBytes());
  EXPECT_TRUE(names.count("parameters") == 1 && names.count("transient") == 1);
}

TEST(MemoryLayoutTest, PartsHaveNamesAndAddUp) {
  CheckParts(MakeSamplePlan(), runtime::RankBinding());
}

TEST(MemoryLayoutTest, SoDoThoseOfARankThatHoldsAPart) {
  for (const uint64_t rank : {0u, 1u, 2u}) {
    CheckParts(MakeShardedPlan(100), FsdpBinding(rank, 3));
  }
}

// On a device of its own a rank gathers into transient memory of its own.
TEST(MemoryPlacementTest, WhatIsGatheredIsCountedAsThatInEverySpace) {
  SamplePlan plan = MakeSamplePlan();
  const auto bytes_of = [&](planpb::MemoryClass memory_class) -> uint64_t {
    const auto placement =
        runtime::MemoryPlacement::Create(plan.manifest, runtime::RankBinding());
    EXPECT_OK(placement.status());
    return placement->BytesByClass(plan.manifest)[memory_class - 1];
  };
  const uint64_t activations = bytes_of(planpb::CLASS_ACTIVATIONS);
  ASSERT_EQ(bytes_of(planpb::CLASS_GATHERED), 0u);
  for (planpb::Buffer& buffer : *plan.manifest.mutable_buffers()) {
    if (buffer.region() == planpb::REGION_TRANSIENT) {
      buffer.set_memory_class(planpb::CLASS_GATHERED);
    }
  }
  EXPECT_GT(bytes_of(planpb::CLASS_GATHERED), 0u);
  EXPECT_EQ(
      bytes_of(planpb::CLASS_GATHERED) + bytes_of(planpb::CLASS_ACTIVATIONS),
      activations);
}

}  // namespace
}  // namespace accel::testing
