// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction as one short line.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_TEXT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_TEXT_H_

#include <string>

#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// "bias_gelu [0, 256)  x, bias -> y", with "wait 3" before and "signal 4" after
// it. Buffers of which a part is touched have "[offset+bytes]" behind them.
std::string InstructionText(const runtime::PlanView& plan,
                            const planpb::Instruction& instruction);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_INSTRUCTION_TEXT_H_
