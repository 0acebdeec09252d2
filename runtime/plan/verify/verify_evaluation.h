// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proof that functions that measure or answer leave training as it is: the step
// behind one has the bits that it would have without it.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_EVALUATION_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_EVALUATION_H_

#include "absl/status/status.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Of a function of role `evaluate` or `infer` refused, with the instruction and
// the buffer:
//   (1) a write of what outlives a step and is read by later ones: parameters
//       and all other slots of segments, hyperparameters, and states but sums,
//   (2) a write of another buffer that outlives the call, if it is read, by the
//       function or by a step, before the same call has written it anew.
// The workspace of kernels is excepted from (2), as it has no value between
// instructions. Trusts that an access of mode `write` writes all that it names.
//
// Together with VerifySchedule, which orders overlapping accesses as program
// order does, this holds for every timing of the streams.
absl::Status VerifyEvaluation(const PlanView& plan, const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_VERIFY_EVALUATION_H_
