// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the function that sets the state up begins to compute of the
// parameters: there they can be replaced.
#ifndef ACCEL_RUNTIME_EXECUTOR_INITIAL_PARAMETERS_H_
#define ACCEL_RUNTIME_EXECUTOR_INITIAL_PARAMETERS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// The first instruction of `function` that reads the slot "master" of a
// segment; the number of its instructions if none does.
// FailedPrecondition if that slot is written behind it.
absl::StatusOr<uint32_t> FindFirstUseOfParameters(const PlanView& plan,
                                                  const FunctionView& function);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_INITIAL_PARAMETERS_H_
