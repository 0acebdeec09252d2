// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost model's counts, scaled to what a rank owns.
#include "runtime/plan/cost/instruction_cost.h"

#include <algorithm>
#include <cmath>

#include "runtime/plan/sizes/collective_bytes.h"

namespace accel::runtime {
namespace {

// The rank's part of what the plan counts.
struct Share {
  uint64_t own = 1;
  uint64_t all = 1;

  uint64_t Of(uint64_t count) const {
    return own == all
               ? count
               : static_cast<uint64_t>(std::llround(static_cast<double>(count) *
                                                    static_cast<double>(own) /
                                                    static_cast<double>(all)));
  }
};

Share ShareOf(const planpb::Shard& shard, const RankBinding& binding) {
  const auto owned = OwnedElements(shard, binding);
  return owned.ok() && shard.elements() != 0
             ? Share{owned->size(), shard.elements()}
             : Share();
}

// Of a buffer that has room for the rank's part only.
Share ShareOf(const planpb::Buffer& buffer, const RankBinding& binding) {
  RankBinding alone;
  alone.threads = binding.threads;
  const auto own = EvaluateSize(buffer.bytes(), binding);
  const auto all = EvaluateSize(buffer.bytes(), alone);
  return own.ok() && all.ok() && *all != 0 ? Share{*own, *all} : Share();
}

// Kernels say how far they run; fills and copies touch what they access.
Share ShareOf(const PlanView& plan, const planpb::Instruction& instruction,
              const RankBinding& binding) {
  if (instruction.has_launch()) {
    const planpb::Launch& launch = instruction.launch();
    return launch.has_part() ? ShareOf(launch.part(), binding) : Share();
  }
  if (!instruction.has_fill() && !instruction.has_copy()) {
    return Share();
  }
  for (const planpb::Access& access : instruction.accesses()) {
    if (access.has_shard()) {
      return ShareOf(access.shard(), binding);
    }
  }
  const planpb::Access& first = instruction.accesses(0);
  return first.bytes() == 0 ? ShareOf(plan.buffer(first.buffer()), binding)
                            : Share();
}

}  // namespace

uint64_t FlopsOf(const planpb::Instruction& instruction) {
  uint64_t flops = 0;
  for (const planpb::Flops& each : instruction.flops()) {
    flops += each.count();
  }
  return flops;
}

InstructionCost CostOf(const PlanView& plan,
                       const planpb::Instruction& instruction,
                       const RankBinding& binding) {
  if (instruction.has_collective()) {
    return {0, BytesSent(instruction.collective(), binding).value_or(0)};
  }
  const Share share = ShareOf(plan, instruction, binding);
  return {share.Of(FlopsOf(instruction)), share.Of(instruction.bytes_moved())};
}

bool HasRoofline(const planpb::Instruction& instruction) {
  const bool works = instruction.has_launch() || instruction.has_fill() ||
                     instruction.has_copy();
  return works &&
         (instruction.flops_size() > 0 || instruction.bytes_moved() > 0);
}

}  // namespace accel::runtime
