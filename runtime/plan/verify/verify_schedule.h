// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proof that a function's streams and events order all that must be ordered:
// whatever the timing of the streams, it computes what program order computes.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_SCHEDULE_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_SCHEDULE_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Two accesses to overlapping bytes, one of them a write, in different streams
// must be ordered by the streams and the events between them. Otherwise
// FailedPrecondition names both instructions, their buffers and streams.
//
// Repeats are unrolled far enough to see every pair: an ordering from one
// iteration to a later one uses iterations between them only, and two
// neighbours in the order of accesses to one byte are at most as many
// iterations apart as a buffer has copies.
//
// Cost: instructions x unrolled iterations x log(ranges).
absl::Status VerifySchedule(const PlanView& plan, const FunctionView& function,
                            const MemoryLayout& layout);
// Of every function.
absl::Status VerifySchedule(const PlanView& plan, const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_SCHEDULE_H_
