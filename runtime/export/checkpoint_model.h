// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of a checkpoint, without an executor.
#ifndef ACCEL_RUNTIME_EXPORT_CHECKPOINT_MODEL_H_
#define ACCEL_RUNTIME_EXPORT_CHECKPOINT_MODEL_H_

#include "absl/status/status.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Whether the checkpoint has the parameters of the plan; the optimizer may be
// another. FailedPrecondition, with all that is missing or different.
absl::Status CheckModelOf(const PlanView& plan, const Checkpoint& checkpoint);

// Parameters as the checkpoint has them, compared with their hashes.
// Borrows: the checkpoint. Requires: CheckModelOf. Threads: one at a time.
ParameterReader ReadFrom(Checkpoint& checkpoint);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_CHECKPOINT_MODEL_H_
