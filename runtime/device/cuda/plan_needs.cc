// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One look at every instruction.
#include "runtime/device/cuda/plan_needs.h"

#include <algorithm>

#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime::cuda {
namespace {

using planpb::Collective;

// Weights are copied in parts of so many; fetches are mostly smaller.
constexpr uint64_t kLeastSlotBytes = uint64_t{1} << 20;

// In bytes.
uint64_t LargestPart(const planpb::Shard& shard, uint64_t ranks,
                     uint64_t width) {
  const uint64_t granules =
      DivideUp(DivideUp(shard.elements(), shard.granule()), ranks);
  return std::min(shard.elements(), granules * shard.granule()) * width;
}

void Note(const planpb::Instruction& instruction, const MemoryLayout& layout,
          CollectiveNeeds& needs) {
  const Collective& collective = instruction.collective();
  uint64_t bytes = 0;
  for (const planpb::Access& access : instruction.accesses()) {
    bytes = std::max(bytes, layout.RangeOf(access, 0).size());
  }
  needs.tensor = std::max(needs.tensor, bytes);
  if (collective.reduction() > Collective::REDUCTION_NONE) {
    needs.reduced =
        std::max(needs.reduced,
                 LargestPart(collective.shard(), layout.binding().rank_count(),
                             ElementBits(collective.dtype()) / 8));
  }
  if (collective.reduction() > Collective::REDUCTION_SUM) {
    needs.extreme = std::max(needs.extreme, bytes);
  }
}

}  // namespace

uint64_t MostFetchedBytes(const PlanView& plan, const MemoryLayout& layout) {
  uint64_t most = kLeastSlotBytes;
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      for (const planpb::FetchField& field : instruction.fetch().fields()) {
        most = std::max(
            most,
            layout
                .RangeOf(instruction.accesses(static_cast<int>(field.access())),
                         0)
                .size());
      }
    }
  }
  return most;
}

CollectiveNeeds NeedsOfCollectives(const PlanView& plan,
                                   const MemoryLayout& layout,
                                   uint32_t stream) {
  CollectiveNeeds needs;
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      if (instruction.has_collective() && instruction.stream() == stream) {
        Note(instruction, layout, needs);
      }
    }
  }
  return needs;
}

}  // namespace accel::runtime::cuda
