// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams side by side, as people read them.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// Left the compute stream, right the other streams, then a column per
// gathered bucket that is alive at the same time, if there are any; phases
// above. "5>" before an item: it waits for event 5 ("5-1>": of the microbatch
// before); ">5" behind it: it signals event 5. `fold`: see MakeSchedule.
absl::StatusOr<std::string> ScheduleText(const runtime::PlanView& plan,
                                         const runtime::FunctionView& function,
                                         const runtime::MemoryLayout& layout,
                                         bool fold, size_t width);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_TEXT_H_
