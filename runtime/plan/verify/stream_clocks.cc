// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks, joined where an instruction waits.
#include "runtime/plan/verify/stream_clocks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace accel::runtime {

absl::Status StreamClocks::Begin(const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  StreamClock& clock = streams_[instruction.stream()];
  for (const planpb::Wait& wait : instruction.waits()) {
    const uint64_t count = function_.RequiredCount(
        wait, instruction.id(), instance.iteration, repetitions_);
    if (count == 0) {
      continue;
    }
    const std::vector<StreamClock>& signals = signals_[wait.event()];
    if (signals.size() < count) {
      return absl::FailedPreconditionError(
          absl::StrCat(plan_.Describe(function_, instruction),
                       " waits for event ", wait.event(), " to be signalled ",
                       count, " times, but before it there are ",
                       signals.size(), " signals: the wait would never end"));
    }
    for (size_t stream = 0; stream < kMaxStreams; ++stream) {
      clock[stream] = std::max(clock[stream], signals[count - 1][stream]);
    }
  }
  return absl::OkStatus();
}

uint64_t StreamClocks::End(const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  StreamClock& clock = streams_[instruction.stream()];
  const uint64_t tick = ++clock[instruction.stream()];
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
