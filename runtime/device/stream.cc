// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction between its waits and its signals.
#include "runtime/device/stream.h"

#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::Status StreamGroup::Enqueue(const FunctionView& function,
                                  uint64_t repetitions,
                                  const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  Stream& target = stream(instruction.stream());
  for (const planpb::Wait& wait : instruction.waits()) {
    const uint64_t count = function.RequiredCount(
        wait, instruction.id(), instance.iteration, repetitions);
    if (count > 0) {
      RETURN_IF_ERROR(target.WaitFor(wait.event(), count, instance));
    }
  }
  RETURN_IF_ERROR(target.Enqueue(instance));
  for (const uint32_t event : instruction.signals()) {
    RETURN_IF_ERROR(target.Record(event));
  }
  return absl::OkStatus();
}

absl::Status StreamGroup::EnqueueFunction(const FunctionView& function,
                                          uint64_t repetitions, bool) {
  return function.Walk(repetitions, [&](const Instance& instance) {
    return Enqueue(function, repetitions, instance);
  });
}

}  // namespace accel::runtime
