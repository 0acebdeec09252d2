// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proof that the static offsets of a function's transient buffers are right: no
// buffer's bytes are taken by another one while somebody still reads them.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_MEMORY_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_MEMORY_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Replays program order and remembers whose value each byte holds. Refused,
// with the names of both buffers:
//   (1) a read of bytes that another buffer's write has taken,
//   (2) an instruction that writes a buffer over another one that it also uses,
//   (3) a read of a transient buffer that nothing has written in this call.
// Trusts neither liveness nor the planner that made the offsets.
//
// Together with VerifySchedule, which orders overlapping accesses as program
// order does, this holds for every timing of the streams.
absl::Status VerifyMemory(const PlanView& plan, const FunctionView& function,
                          const MemoryLayout& layout);
// Of every function.
absl::Status VerifyMemory(const PlanView& plan, const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_MEMORY_H_
