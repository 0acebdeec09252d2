// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proof that launches fit their kernels: what a kernel's code touches, as the
// plan describes it, lies in the bytes that the launch says it touches, which
// are the ones that VerifyMemory and VerifySchedule reason about.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_LAUNCHES_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_LAUNCHES_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Refused, with the instruction and its operand:
//   (1) a launch over other tiles than all of its kernel's, or a rank's part of
//       them that is not cut between tiles,
//   (2) an operand of which the launch names fewer bytes than the tiles touch,
//   (3) an operand that the code uses in another way than the launch says,
//   (4) an operand that is cut over ranks otherwise than the tiles are.
// Trusts what the plan says of its kernels' code, which only the code could
// contradict.
absl::Status VerifyLaunches(const PlanView& plan, const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_LAUNCHES_H_
