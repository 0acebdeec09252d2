// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search of the owner over the ranks of a run.
#include "runtime/executor/slot_tensor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

absl::Status CheckSlotRange(const PlanView& plan, const SlotTensor& slot,
                            uint64_t first, uint64_t elements) {
  const uint64_t all = slot.shard.elements();
  if (first <= all && elements <= all - first) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat(
      "buffer '", plan.buffer(slot.buffer).name(), "': elements [", first,
      ", +", elements, ") do not lie in its tensor of ", all));
}

absl::StatusOr<SlotPiece> FindPiece(const MemoryLayout& layout,
                                    const SlotTensor& slot, uint64_t first,
                                    uint64_t elements) {
  const RankBinding& binding = layout.binding();
  const bool whole =
      layout.BufferBytes(slot.buffer) >= slot.shard.elements() * slot.width;
  for (uint64_t rank = 0; rank < binding.rank_count(); ++rank) {
    ASSIGN_OR_RETURN(const OwnedRange owned,
                     OwnedElements(slot.shard, binding.OfRank(rank)));
    if (first < owned.begin || first >= owned.end) {
      continue;
    }
    const uint64_t base = whole ? 0 : owned.begin;
    return SlotPiece{rank, first, std::min(elements, owned.end - first),
                     (first - base) * slot.width};
  }
  return absl::InternalError(
      absl::StrCat("no rank holds element ", first, " of a slot"));
}

absl::StatusOr<uint64_t> OffsetOfHeld(const MemoryLayout& layout,
                                      const SlotTensor& slot, uint64_t first,
                                      uint64_t bytes) {
  OwnedRange held = {0, slot.shard.elements()};
  if (slot.IsSharded()) {
    ASSIGN_OR_RETURN(held, OwnedElements(slot.shard, layout.binding()));
  }
  const uint64_t end = first + bytes / slot.width;
  if (first < held.begin || end > held.end) {
    return absl::OutOfRangeError(
        absl::StrCat("expected elements that this rank holds, [", held.begin,
                     ", ", held.end, "), got [", first, ", ", end, ")"));
  }
  const bool whole =
      layout.BufferBytes(slot.buffer) >= slot.shard.elements() * slot.width;
  return (first - (whole ? 0 : held.begin)) * slot.width;
}

}  // namespace accel::runtime
