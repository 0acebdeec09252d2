// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what instructions do that need the layout of a rank.
#ifndef ACCEL_RUNTIME_EXECUTOR_CHECK_RUNNABLE_H_
#define ACCEL_RUNTIME_EXECUTOR_CHECK_RUNNABLE_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Whether ranks can share the buffers that the plan puts into shared memory.
absl::Status CheckSharedSpace(const PlanView& plan);

// Whether the function can be run on this layout: what needs ranks, sizes or
// streams that PlanView does not know.
absl::Status CheckRunnable(const PlanView& plan, const FunctionView& function,
                           const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_CHECK_RUNNABLE_H_
