// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buckets an instruction works for.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_BUCKETS_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_BUCKETS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/plan/cost/gathered_buckets.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// Per instruction of the function, the buckets whose state, gathered copy or
// gradient before its reduction it touches, in increasing order. Kernels
// between them, which touch activations alone, have none.
std::vector<std::vector<uint32_t>> InstructionBuckets(
    const runtime::PlanView& plan, const runtime::FunctionView& function,
    absl::Span<const runtime::GatheredSegment> gathered);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_BUCKETS_H_
