// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --set: which hyperparameters of a plan get which values.
#ifndef ACCEL_TOOLS_ACCEL_RUN_HYPERPARAMETERS_H_
#define ACCEL_TOOLS_ACCEL_RUN_HYPERPARAMETERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::tools {

struct Setting {
  std::string name;
  uint32_t buffer = 0;
  double value = 0;
};

// The settings that `set` (NAME=VALUE each) asks for, and the schedule's
// horizon = `steps` if the plan leaves it open and `set` does not name it.
// Every fault of `set` is in the one error.
absl::StatusOr<std::vector<Setting>> ResolveSettings(
    const planpb::Manifest& manifest, const std::vector<std::string>& set,
    int64_t steps);

// After initialisation, before the first step.
absl::Status ApplySettings(const std::vector<Setting>& settings,
                           runtime::Executor& executor);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_HYPERPARAMETERS_H_
