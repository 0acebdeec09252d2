// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an optimizer's slot is in a segment.
#ifndef ACCEL_PASSES_SHARD_SLOTTYPE_H
#define ACCEL_PASSES_SHARD_SLOTTYPE_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include "mlir/IR/BuiltinTypes.h"

namespace accel {

/// The type of `slot` in a segment whose master has type `master`, of whole
/// blocks.
inline mlir::RankedTensorType getSlotType(const OptimizerSlot &slot,
                                          mlir::RankedTensorType master) {
  mlir::Type element = master.getElementType();
  if (slot.element == OptimizerSlot::Element::Code) {
    element = mlir::IntegerType::get(master.getContext(), 8,
                                     mlir::IntegerType::Unsigned);
  }
  return mlir::RankedTensorType::get({master.getNumElements() / slot.block},
                                     element);
}

} // namespace accel

#endif
