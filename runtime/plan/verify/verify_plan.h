// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All proofs that a plan needs before a rank executes it.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_PLAN_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_PLAN_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Launches, memory, schedule and evaluation, in this order; the first error.
absl::Status VerifyPlan(const PlanView& plan, const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_PLAN_H_
