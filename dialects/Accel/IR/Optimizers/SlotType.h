// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an optimizer's slot is in a segment.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SLOTTYPE_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SLOTTYPE_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace accel {

/// The type of `slot` beside parameters of type `master`: those of a segment,
/// or of a parameter that lies in none, whose last block may be shorter.
inline mlir::RankedTensorType getSlotType(const OptimizerSlot &slot,
                                          mlir::RankedTensorType master) {
  mlir::Type element = master.getElementType();
  if (slot.element == OptimizerSlot::Element::Code) {
    element = mlir::IntegerType::get(master.getContext(), 8,
                                     mlir::IntegerType::Unsigned);
  }
  auto entries = static_cast<int64_t>(
      llvm::divideCeil(master.getNumElements(), slot.block));
  return mlir::RankedTensorType::get({entries}, element);
}

} // namespace accel

#endif
