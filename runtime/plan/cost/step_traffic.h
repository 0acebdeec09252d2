// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks of a run send each other in one step, read off the
// instructions of `step`.
#ifndef ACCEL_RUNTIME_PLAN_COST_STEP_TRAFFIC_H_
#define ACCEL_RUNTIME_PLAN_COST_STEP_TRAFFIC_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// Bytes by kind of collective.
struct CollectiveTraffic {
  uint64_t gathered = 0;     // parameters, all_gather
  uint64_t scattered = 0;    // gradients, reduce_scatter
  uint64_t all_reduced = 0;  // gradients, scalars or statistics, all_reduce
  uint64_t total() const { return gathered + scattered + all_reduced; }
};

// Times that a step goes through its repeat: global_batch / (microbatch x
// ranks), rounded up. Requires: global_batch >= 1.
uint64_t IterationsOf(const planpb::Manifest& manifest, uint64_t ranks,
                      uint64_t global_batch);

// Bytes that one rank sends in a step: collectives in the repeat count once per
// iteration. An error for a collective that BytesSent does not know.
absl::StatusOr<CollectiveTraffic> StepTraffic(
    absl::Span<const planpb::Instruction> step, const RankBinding& binding,
    uint64_t iterations);

// The same when N grows without bound: a gather or scatter sends its tensor
// once, an all-reduce twice.
struct TrafficLimits {
  CollectiveTraffic per_microbatch;  // in the repeat, of buckets and values
  CollectiveTraffic per_step;        // outside of it, of buckets
  uint64_t scalars_per_step = 0;     // of what is no bucket's: losses, norms
};
TrafficLimits LimitsOfTraffic(absl::Span<const planpb::Instruction> step);

// How often the segments of a plan are moved, in the repeat and outside.
struct SegmentTraffic {
  uint32_t bucket = 0;   // of the manifest
  uint32_t segment = 0;  // of the bucket
  // Gathers in the repeat, by who reads what they bring.
  uint32_t for_forward = 0;
  uint32_t for_backward = 0;
  uint32_t for_both = 0;
  uint32_t scatters = 0;  // in the repeat
  uint32_t gathers_per_step = 0;
  uint32_t scatters_per_step = 0;
  uint32_t all_reduces_per_step = 0;
  uint32_t gathers() const { return for_forward + for_backward + for_both; }
};
// All segments of all buckets, in the manifest's order.
std::vector<SegmentTraffic> CountSegmentTraffic(
    const planpb::Manifest& manifest,
    absl::Span<const planpb::Instruction> step);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_COST_STEP_TRAFFIC_H_
