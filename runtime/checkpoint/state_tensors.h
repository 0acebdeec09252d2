// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a plan's memory a checkpoint holds: tensors of parameters and of the
// optimizer, under names that do not depend on how the plan cuts them, and the
// small states that belong to no parameter.
#ifndef ACCEL_RUNTIME_CHECKPOINT_STATE_TENSORS_H_
#define ACCEL_RUNTIME_CHECKPOINT_STATE_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/dtype.h"
#include "runtime/executor/slot_tensor.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

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
absl::StatusOr<std::vector<StateTensor>> ListStateTensors(const PlanView& plan);

// Counters and scales, each a few elements of one buffer that all ranks have.
struct StateScalar {
  std::string name;
  uint32_t buffer = 0;
  DType dtype = DType::kF64;
  uint64_t bytes = 0;
};

absl::StatusOr<std::vector<StateScalar>> ListStateScalars(const PlanView& plan);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_STATE_TENSORS_H_
