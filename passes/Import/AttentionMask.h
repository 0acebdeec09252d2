// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a mask of attention says: every column, the plain causal ones, or
// something that has to be kept as a tensor.
#ifndef ACCEL_PASSES_IMPORT_ATTENTIONMASK_H
#define ACCEL_PASSES_IMPORT_ATTENTIONMASK_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace accel {

/// A mask as the graph applies it to scores of shape (b, h, t, s).
struct MaskUse {
  /// Added to the scores (float) or, with `isSelection`, true where scores stay
  /// as they are (i1).
  mlir::Value value;
  bool isSelection = false;
  /// A selection that keeps the scores where `value` is false.
  bool isInverted = false;
  /// What a selection writes elsewhere.
  double fill = 0;
  bool isPart = false; ///< of a sum in which something is learned
  /// By what scores and mask are multiplied after this one was applied.
  double scaleAfter = 1;
};

/// What `accel.attention` needs to do the same.
struct AttentionMask {
  bool causal = false;
  mlir::Value operand; ///< null if none is needed
  mlir::Value bias;    ///< the same for all samples; null if none is needed
};

/// Merges `uses` into one mask and one bias for scores of type `scores`. What
/// is learned, or has no room beside another mask, becomes the bias, which must
/// not differ between samples. A row where -inf leaves no column gives zeros,
/// as `accel.attention` does, also where the graph has no guard and would make
/// NaN of it. New operations are built by `builder`, nothing else changes. On
/// failure `reason` says why it is not possible.
mlir::FailureOr<AttentionMask> resolveMasks(mlir::OpBuilder &builder,
                                            mlir::ArrayRef<MaskUse> uses,
                                            mlir::RankedTensorType scores,
                                            std::string &reason);

} // namespace accel

#endif
