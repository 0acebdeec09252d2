// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of an attention, as every target's code for it needs them.
#ifndef ACCEL_PASSES_ANALYSIS_ATTENTIONSIZES_H
#define ACCEL_PASSES_ANALYSIS_ATTENTIONSIZES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

struct AttentionSizes {
  int64_t batch, heads, keyHeads; ///< key head i serves `group` heads
  int64_t rows, columns;          ///< queries and keys of a sample
  int64_t depth, width;           ///< of a query, of a value
  bool causal, isGradient;
  bool sumsBias; ///< whether a gradient has that of the bias, over all samples

  /// Of an attention or of its gradient.
  static AttentionSizes get(mlir::Operation *op);

  int64_t group() const { return heads / keyHeads; }
  /// Row i sees columns up to i + offset.
  int64_t offset() const { return columns - rows; }
};

/// The attention, or gradient of one, that `kernel` is about; null: it is about
/// something else.
mlir::Operation *findAttention(mlir::func::FuncOp kernel);

} // namespace accel

#endif
