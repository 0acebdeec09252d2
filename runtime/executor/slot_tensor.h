// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank holds which part of a slot of a segment.
#ifndef ACCEL_RUNTIME_EXECUTOR_SLOT_TENSOR_H_
#define ACCEL_RUNTIME_EXECUTOR_SLOT_TENSOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/state/state_tensors.h"

namespace accel::runtime {

// Elements [first, first + elements) of a tensor, at `offset` of the buffer of
// rank `rank`.
struct SlotPiece {
  uint64_t rank = 0;
  uint64_t first = 0;
  uint64_t elements = 0;
  uint64_t offset = 0;  // bytes
};

// OutOfRange if elements [first, first + elements) do not lie in the tensor.
absl::Status CheckSlotRange(const PlanView& plan, const SlotTensor& slot,
                            uint64_t first, uint64_t elements);

// From element `first` on, as much of [first, first + elements) as one rank
// holds; of several that hold the same, the lowest. A part lies at its place in
// a buffer that has room for the whole tensor, at the beginning of a smaller
// one.
// Requires: the range was checked and is not empty.
absl::StatusOr<SlotPiece> FindPiece(const MemoryLayout& layout,
                                    const SlotTensor& slot, uint64_t first,
                                    uint64_t elements);

// Where elements [first, ...) of a slot, `bytes` long, begin in the buffer of
// the rank of `layout`. OutOfRange if it does not hold them all.
absl::StatusOr<uint64_t> OffsetOfHeld(const MemoryLayout& layout,
                                      const SlotTensor& slot, uint64_t first,
                                      uint64_t bytes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_SLOT_TENSOR_H_
