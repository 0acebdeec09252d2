// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The averages of parameters that a plan of accelc --ema keeps, in place of the
// parameters: what has none, as what is frozen, is given as it is.
#ifndef ACCEL_RUNTIME_EXPORT_AVERAGES_H_
#define ACCEL_RUNTIME_EXPORT_AVERAGES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// The slot that holds the average of what lies in the slot "master".
inline constexpr absl::string_view kAverageSlot = "average";

// FailedPrecondition, with the remedy, if the plan keeps none.
absl::Status CheckAverages(const PlanView& plan);
// FailedPrecondition if the run that saved the checkpoint kept none.
absl::Status CheckAverages(const Checkpoint& checkpoint);

// What is there between steps. Borrows: both arguments.
ParameterReader ReadAveragesFrom(const PlanView& plan,
                                 const Executor& executor);
// Borrows: the checkpoint. Requires: CheckModelOf, CheckAverages.
ParameterReader ReadAveragesFrom(Checkpoint& checkpoint);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_AVERAGES_H_
