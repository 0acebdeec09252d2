// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction costs the rank that executes it, for traces.
#ifndef ACCEL_RUNTIME_PLAN_COST_INSTRUCTION_COST_H_
#define ACCEL_RUNTIME_PLAN_COST_INSTRUCTION_COST_H_

#include <cstdint>

#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

struct InstructionCost {
  uint64_t flops = 0;
  // Read and written; of a collective what a rank sends (collective_bytes.h).
  uint64_t bytes = 0;
};

// Of all element types together; whole segments where ranks own parts.
uint64_t FlopsOf(const planpb::Instruction& instruction);

// One execution by the rank of `binding`. The plan counts whole segments where
// ranks own parts: of those the rank's own elements count.
// Requires: the plan's sizes can be evaluated for the binding.
InstructionCost CostOf(const PlanView& plan,
                       const planpb::Instruction& instruction,
                       const RankBinding& binding);

// Whether the machine's roofline says how long the instruction takes at least:
// it computes, or moves bytes of its rank.
bool HasRoofline(const planpb::Instruction& instruction);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_COST_INSTRUCTION_COST_H_
