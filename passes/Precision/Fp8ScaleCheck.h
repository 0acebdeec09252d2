// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether what multiplies sums undoes the scales of their operands. Shares
// nothing with the pass that inserts scales.
#ifndef ACCEL_PASSES_PRECISION_FP8SCALECHECK_H
#define ACCEL_PASSES_PRECISION_FP8SCALECHECK_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace accel {

/// What made the elements of `value`; null if nothing did.
mlir::Operation *findStored(mlir::Value value);

/// The scalar that all elements of `value` are; null if they are none.
mlir::Value findRepeated(mlir::Value value);

/// Whether all elements of `value` are the constant `number` of f32.
bool isConstant(mlir::Value value, double number);

/// The largest number of `element`, of 8 bits.
double largestOf(mlir::Type element);

/// Succeeds if each parameter in 8 bits has a scale of its own, or one for each
/// square of `block` rows and columns, if that is not 0.
mlir::LogicalResult checkScaleIndices(mlir::ModuleOp module, int64_t block);

/// Succeeds if the states of scales that are known before the step, if there
/// are any, are those of as many tensors, begin with scale 1 and are
/// exchanged as maxima; and if `microbatch` writes the magnitudes, once, and no
/// other.
mlir::LogicalResult checkDelayedStates(mlir::func::FuncOp microbatch);

class Fp8ScaleCheck {
public:
  /// `fp8`: what the module says of the recipe.
  Fp8ScaleCheck(mlir::func::FuncOp microbatch, mlir::DictionaryAttr fp8);

  /// Whether `inverse` undoes the scale of what `operand` is a view of, and
  /// that scale is made for it.
  bool undoesScale(mlir::Value inverse, mlir::Value operand) const;

private:
  void findDelayed(mlir::func::FuncOp microbatch);
  bool undoesDelayed(mlir::Value inverse, mlir::Value scale,
                     CastOp rounded) const;
  bool isMadeFor(size_t index, mlir::Type element) const;

  bool isDelayed; ///< scales are known before the step
  int margin;
  /// Of such scales: what each is made for, and the magnitude that the
  /// microbatch finds for it.
  llvm::SmallVector<float> largest;
  llvm::SmallVector<mlir::Value> amaxes;
};

} // namespace accel

#endif
