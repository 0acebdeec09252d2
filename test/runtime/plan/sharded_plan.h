// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sample plan with one more segment, `s` of bucket "sharded", which ranks
// along fsdp hold in every way that there is. Its values go through all
// collectives at the end of the step, on the communication stream.
//
//   init   load "initial", copy the own part to "master" and into "replicated",
//          fill the own part of "filled"
//   step   ...
//          gather       master -> gathered (shared memory)
//          look         gathered -> seen
//          scatter      contribution -> summed              (apart)
//          scatter own  contribution, into its own part     (in place)
//          gather own   replicated, from its own part       (in place)
#ifndef ACCEL_TEST_RUNTIME_PLAN_SHARDED_PLAN_H_
#define ACCEL_TEST_RUNTIME_PLAN_SHARDED_PLAN_H_

#include <vector>

#include "runtime/plan/sizes/size_expr.h"
#include "test/runtime/plan/sample_plan.h"

namespace accel::testing {

inline constexpr uint64_t kShardGranule = 4;

// What "initial" holds.
std::vector<float> InitialShardValues(uint64_t elements);

// Slots of the segment: "master" and "gradient" ("summed"), each as large as a
// shard; "in place" ("contribution"), as large as the segment; "whole"
// ("seen"), which every rank has. Parameter "sharded" is all elements but the
// first.
SamplePlan MakeShardedPlan(uint64_t elements);

// The segment, cut over fsdp.
planpb::Shard TestShard(uint64_t elements);
// A collective of such a segment, along fsdp.
planpb::Collective TestCollective(
    planpb::Collective::Kind kind, uint64_t elements,
    planpb::ElementType dtype = planpb::ELEMENT_F32);
// An access to this rank's part of a buffer.
planpb::Access PartAccess(const SamplePlan& plan, const std::string& buffer,
                          planpb::Access::Mode mode, uint64_t elements,
                          uint64_t offset = 0);
// Rank `rank` of `ranks` along fsdp.
runtime::RankBinding FsdpBinding(uint64_t rank, uint64_t ranks);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_SHARDED_PLAN_H_
