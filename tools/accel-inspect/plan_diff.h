// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changed between two plans, for the people who review the change.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_PLAN_DIFF_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_PLAN_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/plan/plan.h"

namespace accel::tools {

// Precision, memory, traffic, instructions and kernels of both as tables of
// Markdown, which reads as text and in a pull request. Rows that are the same
// are left out; so are tables without rows. Memory and traffic are those of a
// rank among `ranks`, or as many as both plans may have, with one thread.
absl::StatusOr<std::string> PlanDiffText(const runtime::Plan& before,
                                         const runtime::Plan& after,
                                         uint64_t ranks);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_PLAN_DIFF_H_
