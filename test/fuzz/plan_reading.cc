// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As accel-run does it, then as accel-inspect does.
#include "test/fuzz/plan_reading.h"

#include <string>

#include "runtime/base/status_macros.h"
#include "runtime/executor/step_driver.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"
#include "test/fuzz/memory_vfs.h"
#include "tools/accel-inspect/plan_json.h"
#include "tools/accel-inspect/plan_text.h"
#include "tools/accel-inspect/schedule_text.h"

namespace accel::testing {
namespace {

using runtime::MemoryLayout;
using runtime::Plan;
using runtime::RankBinding;

absl::Status Print(const Plan& plan, const MemoryLayout& layout) {
  tools::SummaryText(plan, layout);
  tools::BucketsText(plan.view());
  tools::ParametersText(plan.view());
  for (const runtime::FunctionView& function : plan.view().functions()) {
    tools::FunctionText(plan.view(), function, /*width=*/100);
    for (const bool fold : {false, true}) {
      RETURN_IF_ERROR(tools::ScheduleText(plan.view(), function, layout, fold,
                                          /*width=*/100)
                          .status());
    }
  }
  return tools::PlanJson(plan, layout).status();
}

}  // namespace

absl::Status ReadPlan(absl::string_view file) {
  MemoryVfs vfs("plan", std::string(file));
  ASSIGN_OR_RETURN(const auto plan, Plan::Open(vfs, "plan"));
  absl::Status status;
  for (const uint64_t ranks : {1, 3}) {
    const auto layout = MemoryLayout::Create(
        plan->view(), RankBinding::OfRun(plan->manifest(), ranks - 1, ranks,
                                         /*threads=*/2));
    status.Update(layout.status());
    if (layout.ok()) {
      status.Update(runtime::StepDriver::Verify(plan->view(), *layout));
      // A plan that does not verify can be looked at all the same.
      status.Update(Print(*plan, *layout));
    }
  }
  return status;
}

}  // namespace accel::testing
