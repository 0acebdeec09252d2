// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hyperparameters whose numbers have names, and what depends on them.
#ifndef ACCEL_TOOLS_ACCEL_RUN_CHOICES_H_
#define ACCEL_TOOLS_ACCEL_RUN_CHOICES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/plan/schema/plan.pb.h"
#include "tools/accel-run/hyperparameters.h"

namespace accel::tools {

// The number that `text` names. Requires: the hyperparameter has choices.
absl::StatusOr<double> ParseChoice(const planpb::Hyperparameter& scalar,
                                   const std::string& text);

// Whether the schedule in force reads every one of the settings, and has what
// it needs. Every fault is in the one error.
absl::Status CheckSchedule(const planpb::Manifest& manifest,
                           const std::vector<Setting>& settings);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_CHOICES_H_
