// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as people read it.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_PLAN_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_PLAN_TEXT_H_

#include <string>

#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::tools {

// What it trains, on what, and what it needs.
std::string SummaryText(const runtime::Plan& plan,
                        const runtime::MemoryLayout& layout);

// Buckets with their segments and slots.
std::string BucketsText(const runtime::PlanView& plan);

// Every parameter with its shape and place.
std::string ParametersText(const runtime::PlanView& plan);

// The instructions of a function, one line each, a column per stream, under the
// names of their phases. `width`: columns to fit into.
std::string FunctionText(const runtime::PlanView& plan,
                         const runtime::FunctionView& function, int width);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_PLAN_TEXT_H_
