// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the state of a checkpoint into an executor.
#ifndef ACCEL_RUNTIME_CHECKPOINT_RESTORE_H_
#define ACCEL_RUNTIME_CHECKPOINT_RESTORE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/executor/executor.h"

namespace accel::runtime {

// Whether the plan can go on from the checkpoint: it has all tensors of the
// plan's state, of the same type and size, of the same optimizer.
// FailedPrecondition, with all that is missing or different in one message.
absl::Status CheckFits(const PlanView& plan, const Checkpoint& checkpoint);

// The same of its tensors alone, or of its parameters alone, whatever the
// optimizer.
absl::Status CheckTensorsFit(const PlanView& plan, const Checkpoint& checkpoint,
                             bool parameters_only);

// Counters and scales of the plan that the checkpoint does not have: they begin
// as in a new run, for instance where the precision is another one.
absl::StatusOr<std::vector<std::string>> ListNewScalars(
    const PlanView& plan, const CheckpointManifest& manifest);

// For Executor::Initialize. Reads, and compares with its hashes, what the ranks
// of `rank` hold. Requires: CheckFits.
absl::Status RestorePart(const PlanView& plan, Checkpoint& checkpoint,
                         Executor& rank, Executor::RestoredPart part);

// The same of parameters alone, which get their averages (accelc --ema) where
// the checkpoint has some.
absl::Status RestoreAverages(const PlanView& plan, Checkpoint& checkpoint,
                             Executor& rank);

// Of the state of `executor`, for a manifest.
absl::StatusOr<std::vector<CheckpointScalar>> ReadScalars(
    const PlanView& plan, const Executor& executor);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_RESTORE_H_
