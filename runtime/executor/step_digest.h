// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks of a run must agree on in each step, as one number.
#ifndef ACCEL_RUNTIME_EXECUTOR_STEP_DIGEST_H_
#define ACCEL_RUNTIME_EXECUTOR_STEP_DIGEST_H_

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/data/dataset.h"
#include "runtime/executor/batch_plan.h"

namespace accel::runtime {

// The first 63 bits of the SHA-256 of step, seed, the data's identity and the
// rows that all samples of the step's global batch show.
uint64_t StepDigest(const Dataset& dataset, const BatchPlan& batch,
                    int64_t step, int64_t seed);

// Exchanges the digests of all ranks. FailedPrecondition, on every rank, if
// they are not all the same: the step and the first rank that differs from rank
// 0 are named. With them goes how long each rank has waited for its data, and
// the longest is returned.
// Requires: no call of the communicator is under way.
absl::StatusOr<std::chrono::nanoseconds> CompareDigests(
    Communicator& communicator, int64_t step, uint64_t digest,
    std::chrono::nanoseconds data_wait);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_STEP_DIGEST_H_
