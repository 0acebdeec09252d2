// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changes gradients in a step, and where the update begins that uses them.
#ifndef ACCEL_PASSES_SCHEDULE_GRADIENTWRITES_H
#define ACCEL_PASSES_SCHEDULE_GRADIENTWRITES_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Whether `op` writes a buffer of which `holds` is true.
bool writesBuffer(plan::InstructionOpInterface op,
                  llvm::function_ref<bool(plan::BufferOp)> holds);

class GradientWrites {
public:
  explicit GradientWrites(mlir::func::FuncOp step);

  /// Whether `op` writes a gradient, or the number that the metric
  /// `gradient_scale` reports.
  bool changesGradients(plan::InstructionOpInterface op) const;

  /// Whether `op` writes the optimizer's state. From the first such instruction
  /// on gradients have been used, and may be overwritten.
  static bool isUpdate(plan::InstructionOpInterface op);

private:
  plan::BufferOp scale; ///< null if nobody reports it
};

} // namespace accel

#endif
