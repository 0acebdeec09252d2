// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of a view of windows as the convolution that it is.
#ifndef ACCEL_PASSES_ANALYSIS_CONVOLUTION_H
#define ACCEL_PASSES_ANALYSIS_CONVOLUTION_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

#include <optional>

namespace accel {

/// With `image` (n, s..., c), windows of k elements at places p, and f filters:
///
///   forward: rows (n, p...) and columns (k..., c) of the left matrix, times
///     weights (f; k..., c) or their transposed matrix;
///   weight gradient: the transposed matrix (n, p...; f) of what the output's
///     gradient is, times rows (n, p...) and columns (k..., c).
///
/// Columns may also be (c, k...), as those of a transposed convolution's
/// gradient are. There is one matrix: groups of channels are several.
struct Convolution {
  plan::ConvolutionDirection direction = plan::ConvolutionDirection::Forward;
  WindowsOp windows;
  mlir::Value matrix; ///< the operand that is not the view of windows
  bool isMatrixTransposed = false; ///< forward: the weights lie as (f; k, c)
  bool isChannelFirst = false;     ///< of columns: they are (c, k...)
  int64_t samples = 0, channels = 0, filters = 0;

  mlir::Value image() { return windows.getOperand(); }
  size_t spatial() { return windows.getSizes().size(); }
  /// p, of which there is one for each spatial dimension.
  llvm::ArrayRef<int64_t> places();
  /// What windows reach of the image: (n, s..., c).
  llvm::SmallVector<int64_t> imageShape();
  llvm::SmallVector<int64_t> weightsShape(); ///< (f, k..., c)
  llvm::SmallVector<int64_t> outputShape();  ///< (n, p..., f)
  /// Of the weights' dimensions, in the order of `weightsShape`.
  llvm::SmallVector<int64_t> weightsStrides();

  /// `product`, of f32, bf16 or f16, as a convolution. Between it and the
  /// windows may be what rounds them. Nothing if it is another product, or one
  /// of windows of one element that lie side by side: those are a matrix.
  static std::optional<Convolution> find(MatmulOp product);
};

/// The windows that `operand` is a view of, by reshapes, transposes and
/// roundings; null if it is none.
WindowsOp findWindows(mlir::Value operand);

} // namespace accel

#endif
