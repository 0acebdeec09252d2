// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as programs read it.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_PLAN_JSON_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_PLAN_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::tools {

// {"version": 5, "format": "4.2", "sha256": ..., "memory_bytes": {class:
// bytes}, "manifest": ..., "functions": [{"name": ..., "instructions": [...],
// "schedule": ...}]}, one line. ScheduleJson says what the schedule is.
// Manifest and instructions are their messages in protobuf's JSON with the
// schema's field names, where integers of 64 bits are strings and bytes are
// base64.
absl::StatusOr<std::string> PlanJson(const runtime::Plan& plan,
                                     const runtime::MemoryLayout& layout);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_PLAN_JSON_H_
