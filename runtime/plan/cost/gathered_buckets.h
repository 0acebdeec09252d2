// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buckets are gathered when: how long what collectives write to the
// memory that ranks share is alive, and how much of it at once.
#ifndef ACCEL_RUNTIME_PLAN_COST_GATHERED_BUCKETS_H_
#define ACCEL_RUNTIME_PLAN_COST_GATHERED_BUCKETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"
#include "runtime/plan/verify/stream_clocks.h"

namespace accel::runtime {

// One segment, gathered once. It is alive from the beginning of the collective
// that writes it to the end of the last read before its bytes are written
// again.
struct GatheredSegment {
  std::string bucket;  // of the buffer, if the collective serves no bucket
  uint32_t segment_plus_one = 0;
  uint64_t bytes = 0;
  const planpb::Instruction* gather = nullptr;
  uint64_t iteration = 0;  // of the gather
  // Who reads it, as (instruction, iteration) in program order.
  std::vector<Instance> reads;
  // Positions in the walk, in program order: of the gather and the last read.
  uint64_t first = 0;
  uint64_t last = 0;
  StreamClock known_at_gather = {};  // what has finished before it begins
  StreamClock ends = {};             // per stream, the tick of the last use
};

// All of a function, repeats unrolled, in program order of the gathers. Looks
// at accesses and collectives alone, not at what the compiler meant by them.
absl::StatusOr<std::vector<GatheredSegment>> FindGatheredSegments(
    const PlanView& plan, const FunctionView& function,
    const MemoryLayout& layout, uint64_t repetitions);

// The buckets that `alive` makes, sorted; a bucket that is there twice, because
// one of its segments is, is named twice.
std::vector<std::string> GatheredBuckets(
    absl::Span<const GatheredSegment* const> alive);

// The most buckets that are alive at once.
struct GatheredPeak {
  // While streams take turns in program order, as --serial has them.
  std::vector<std::string> in_program_order;
  // In any timing of the streams that events allow; at least as many.
  std::vector<std::string> in_any_timing;
  uint64_t largest_bytes = 0;  // of one gathered bucket
};

// For steps of one, two and many microbatches.
absl::StatusOr<GatheredPeak> FindGatheredPeak(const PlanView& plan,
                                              const FunctionView& function,
                                              const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_COST_GATHERED_BUCKETS_H_
