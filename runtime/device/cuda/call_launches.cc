// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One look at every launch.
#include "runtime/device/cuda/call_launches.h"

namespace accel::runtime::cuda {

void ForEachLaunch(const PlanView& plan, const MemoryLayout& layout,
                   absl::FunctionRef<void(uint32_t, RangeOfOperand)> visit) {
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      if (!instruction.has_launch()) {
        continue;
      }
      const planpb::Launch& launch = instruction.launch();
      for (uint64_t iteration = 0; iteration < kMostCopies; ++iteration) {
        visit(launch.kernel(), [&](uint32_t operand) {
          const auto access =
              static_cast<int>(launch.arguments(static_cast<int>(operand)));
          return layout.RangeOf(instruction.accesses(access), iteration);
        });
      }
    }
  }
}

uint32_t WorseAlignment(uint32_t alignment, uint64_t address) {
  const uint64_t all = address | alignment;
  return static_cast<uint32_t>(all & (~all + 1));
}

}  // namespace accel::runtime::cuda
