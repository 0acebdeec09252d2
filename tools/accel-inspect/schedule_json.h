// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams side by side, as programs read them.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_JSON_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_JSON_H_

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// {"instructions": [{"id", "name", "stream", "phase", "waits": [{"event",
// "distance"}], "signals", "buckets", "flops", "bytes_moved", "gathered"}],
// "rows": [{"each_microbatch", "compute", "communication", "gathered"}],
// "gathered": {"most_in_program_order", "most_in_any_timing",
// "largest_bytes"}}: rows are those of the folded table and hold the ids of
// their instructions; buckets are names. Integers are numbers. The stream of a
// repeat, which belongs to all of them, is null.
absl::StatusOr<nlohmann::ordered_json> ScheduleJson(
    const runtime::PlanView& plan, const runtime::FunctionView& function,
    const runtime::MemoryLayout& layout);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_JSON_H_
