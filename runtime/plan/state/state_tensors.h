// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a plan's memory a checkpoint holds: tensors of parameters and of the
// optimizer, under names that do not depend on how the plan cuts them, and the
// small states that belong to no parameter.
#ifndef ACCEL_RUNTIME_PLAN_STATE_STATE_TENSORS_H_
#define ACCEL_RUNTIME_PLAN_STATE_STATE_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/dtype.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// A tensor of a segment's slot, as the plan cuts it over ranks.
struct SlotTensor {
  uint32_t buffer = 0;
  // The segment's elements, cut over the axes that the slot is sharded over;
  // no axis: every rank has them all.
  planpb::Shard shard;
  uint64_t width = 0;  // bytes of an element

  bool IsSharded() const { return !shard.axes().empty(); }
};

// A flat array of elements of a slot.
struct StateTensor {
  // "PARAMETER/SLOT". Of an optimizer that quantizes blocks of a segment, whose
  // blocks do not end where parameters do: "BUCKET.SEGMENT/SLOT".
  std::string name;
  SlotTensor slot;
  uint64_t first = 0;  // element of the slot
  uint64_t elements = 0;
  DType dtype = DType::kF32;
  bool is_parameter = false;  // others are the optimizer's
};

// In the order of the plan. Not among them: gradients, and what is computed of
// the parameters alone, as their copies of fewer bits.
absl::StatusOr<std::vector<StateTensor>> ListStateTensors(
    const planpb::Manifest& manifest);

// Counters and scales, each a few elements of one buffer that all ranks have.
struct StateScalar {
  std::string name;
  uint32_t buffer = 0;
  DType dtype = DType::kF64;
  uint64_t bytes = 0;
};

absl::StatusOr<std::vector<StateScalar>> ListStateScalars(
    const planpb::Manifest& manifest);

// Elements [begin, end) of `elements`: the share that process `index` of
// `count` writes of what all of them have.
OwnedRange ShareOf(uint64_t elements, uint64_t index, uint64_t count);

// At most so many bytes of tensors does a process write to a checkpoint: a
// process of several has the rank of `binding`, one alone has all ranks.
absl::StatusOr<uint64_t> CheckpointBytes(const planpb::Manifest& manifest,
                                         const RankBinding& binding,
                                         uint64_t processes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_STATE_STATE_TENSORS_H_
