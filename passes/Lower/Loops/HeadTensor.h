// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of attention where they lie in memory, and the rows of their heads.
#ifndef ACCEL_PASSES_LOWER_LOOPS_HEADTENSOR_H
#define ACCEL_PASSES_LOWER_LOOPS_HEADTENSOR_H

#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// A tensor of shape (batch, heads, rows, columns) where it lies.
struct HeadTensor {
  mlir::Value buffer; ///< null: nobody wants it
  StridedView view;
  int64_t rows = 0, columns = 0;
  mlir::Type element; ///< what a small float's bits in the buffer stand for

  explicit operator bool() const { return static_cast<bool>(buffer); }

  /// A tensor that `op` reads: an argument of the kernel and where it lies
  /// there. Empty after an error.
  static HeadTensor getOperand(KernelEmitter &emitter, mlir::Operation *op,
                               mlir::Value operand);
  /// Where result `number` of `op` goes, itself or transposed.
  static HeadTensor getResult(KernelEmitter &emitter, mlir::Operation *op,
                              unsigned number);
};

} // namespace accel

#endif
