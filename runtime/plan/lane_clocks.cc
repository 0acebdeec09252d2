// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks, joined where an instruction waits.
#include "runtime/plan/lane_clocks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace accel::runtime {

absl::Status LaneClocks::Begin(const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  LaneClock& clock = lanes_[instruction.lane()];
  for (const planpb::Wait& wait : instruction.waits()) {
    const uint64_t count = function_.RequiredCount(
        wait, instruction.id(), instance.iteration, repetitions_);
    if (count == 0) {
      continue;
    }
    const std::vector<LaneClock>& signals = signals_[wait.event()];
    if (signals.size() < count) {
      return absl::FailedPreconditionError(
          absl::StrCat(plan_.Describe(function_, instruction),
                       " waits for event ", wait.event(), " to be signalled ",
                       count, " times, but before it there are ",
                       signals.size(), " signals: the wait would never end"));
    }
    for (size_t lane = 0; lane < kMaxLanes; ++lane) {
      clock[lane] = std::max(clock[lane], signals[count - 1][lane]);
    }
  }
  return absl::OkStatus();
}

uint64_t LaneClocks::End(const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  LaneClock& clock = lanes_[instruction.lane()];
  const uint64_t tick = ++clock[instruction.lane()];
  for (const uint32_t event : instruction.signals()) {
    signals_[event].push_back(clock);
  }
  return tick;
}

uint64_t UnrolledIterations(const PlanView& plan,
                            const FunctionView& function) {
  uint64_t reach = 1;
  for (const planpb::Instruction& instruction : function.instructions()) {
    for (const planpb::Wait& wait : instruction.waits()) {
      reach = std::max<uint64_t>(reach, std::min(wait.distance(), 16u));
    }
    for (const planpb::Access& access : instruction.accesses()) {
      reach = std::max<uint64_t>(reach, plan.buffer(access.buffer()).copies());
    }
  }
  return 2 * reach + 1;
}

}  // namespace accel::runtime
