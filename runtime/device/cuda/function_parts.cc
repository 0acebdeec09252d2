// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides is the plan alone, so that all ranks cut alike.
#include "runtime/device/cuda/function_parts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace accel::runtime::cuda {

FunctionParts::FunctionParts(const PlanView& plan,
                             const FunctionView& function) {
  FindOutside(function);
  std::optional<uint32_t> repeat;
  for (const planpb::Instruction& instruction : function.instructions()) {
    const std::optional<uint32_t> own = function.RepeatOf(instruction.id());
    if (parts_.empty() || own != repeat) {
      FunctionPart& part = parts_.emplace_back();
      part.index = parts_.size() - 1;
      part.is_repeated = own.has_value();
      repeat = own;
    }
    if (!instruction.has_repeat()) {
      Add(plan, instruction);
    }
  }
}

void FunctionParts::FindOutside(const FunctionView& function) {
  std::set<uint32_t> streams;
  for (const planpb::Instruction& instruction : function.instructions()) {
    if (instruction.has_fetch() || instruction.has_load()) {
      streams.insert(instruction.stream());
    }
  }
  signalled_.resize(function.event_count());
  awaited_.resize(function.event_count());
  for (const planpb::Instruction& instruction : function.instructions()) {
    const bool is_outside = streams.count(instruction.stream()) != 0;
    is_outside_.push_back(is_outside);
    for (const uint32_t event : instruction.signals()) {
      signalled_[event] = is_outside;
    }
    for (const planpb::Wait& wait : instruction.waits()) {
      awaited_[wait.event()] = awaited_[wait.event()] || is_outside;
    }
  }
}

void FunctionParts::Add(const PlanView& plan,
                        const planpb::Instruction& instruction) {
  FunctionPart& part = parts_.back();
  if (is_outside_[instruction.id()]) {
    part.outside.push_back(instruction.id());
    return;
  }
  part.inside.push_back(instruction.id());
  for (const planpb::Access& access : instruction.accesses()) {
    const uint64_t copies = plan.buffer(access.buffer()).copies();
    part.period = std::lcm(part.period, std::max<uint64_t>(copies, 1));
  }
}

}  // namespace accel::runtime::cuda
