// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One list, so that no reader of plans misses a proof.
#include "runtime/plan/verify/verify_plan.h"

#include "runtime/base/status_macros.h"
#include "runtime/plan/verify/verify_evaluation.h"
#include "runtime/plan/verify/verify_launches.h"
#include "runtime/plan/verify/verify_memory.h"
#include "runtime/plan/verify/verify_schedule.h"

namespace accel::runtime {

absl::Status VerifyPlan(const PlanView& plan, const MemoryLayout& layout) {
  RETURN_IF_ERROR(VerifyLaunches(plan, layout));
  RETURN_IF_ERROR(VerifyMemory(plan, layout));
  RETURN_IF_ERROR(VerifySchedule(plan, layout));
  return VerifyEvaluation(plan, layout);
}

}  // namespace accel::runtime
