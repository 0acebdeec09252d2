// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the sections of a plan lie in its file, and that nothing lies between
// them.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_SECTION_TABLE_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_SECTION_TABLE_H_

#include "absl/status/status.h"
#include "runtime/plan/container/opened_plan.h"

namespace accel::runtime {

// Sections are of known kinds, have names of their own, lie one behind the
// other between header and manifest, and have a hash for each chunk.
absl::Status CheckSections(const OpenedPlan& plan);

// What lies between header, sections and manifest is less than a page, and
// zero. Requires: CheckSections accepted them.
absl::Status CheckGaps(const OpenedPlan& plan);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_SECTION_TABLE_H_
