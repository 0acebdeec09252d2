// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tensors are multiplied by before they are rounded to 8 bits, so that
// their largest number becomes the largest of the format.
#ifndef ACCEL_DIALECTS_ACCEL_IR_FP8SCALE_H
#define ACCEL_DIALECTS_ACCEL_IR_FP8SCALE_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "llvm/ADT/StringRef.h"

namespace accel {

/// On the module: a dictionary of `recipe`, the types `forward` and `gradient`,
/// `margin` and `block` where the recipe has one, and `emulated` where the
/// target has no units for them.
inline constexpr llvm::StringLiteral kFp8Attr = "accel.fp8";

/// The state that holds the scales of parameters that microbatches read in 8
/// bits: f32, one for each, where `scale` of the parameter says; or, where the
/// recipe has blocks, from there on one for each block of `block` rows and
/// columns, row by row.
inline constexpr llvm::StringLiteral kWeightScaleState = "weight_scale";
/// The state that holds 1 over each of them.
inline constexpr llvm::StringLiteral kWeightInverseState = "weight_inverse";
/// The state through which ranks find the largest magnitudes of those
/// parameters, of which each has its own parts.
inline constexpr llvm::StringLiteral kWeightAmaxState = "weight_amax";

/// The states of a recipe whose scales are known before the step, f32, one
/// element for each tensor: its scale, 1 over that, and the largest magnitude
/// that it has had in the microbatches of this step.
inline constexpr llvm::StringLiteral kDelayedScaleState = "delayed_scale";
inline constexpr llvm::StringLiteral kDelayedInverseState = "delayed_inverse";
inline constexpr llvm::StringLiteral kDelayedAmaxState = "delayed_amax";
/// For each tensor a row with its largest magnitudes in the steps before, and
/// the column that the next step replaces: a counter.
inline constexpr llvm::StringLiteral kDelayedHistoryState = "delayed_history";
inline constexpr llvm::StringLiteral kDelayedColumnState = "delayed_column";
/// On the state of those scales: what a largest magnitude is scaled to, a
/// vector of f32.
inline constexpr llvm::StringLiteral kDelayedLargestAttr =
    "accel.delayed_largest";

/// Elements at whose multiples such parameters begin: so many of a segment have
/// one scale, wherever a rank's part of it begins.
inline constexpr int64_t kFp8Alignment = 128;

/// A tensor with a smaller largest magnitude is scaled as if it had this one,
/// so that scales and their inverses are numbers of f32. A weight of zeros
/// keeps the scale that it had.
inline constexpr double kLeastAmax = 0x1p-100;

/// No scale that is known before a step is smaller: its inverse is finite,
/// whatever the margin.
inline constexpr double kLeastScale = 0x1p-126;

/// No inverse of the scale of a block is smaller: what it multiplies is a
/// normal number of bf16, in which products of such blocks may be computed.
inline constexpr double kLeastBlockInverse = 0x1p-110;

inline bool isFp8(mlir::Type element) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element);
}

/// The largest magnitude in `tensor`, an f32 scalar; NaN if one is in it.
mlir::Value buildAmax(ArithmeticBuilder &b, mlir::Value tensor);

/// The largest number of `element`.
double getLargest(mlir::Type element);

/// The scales of tensors whose largest magnitudes are `amax`, one for each
/// element: `largest`, numbers likewise, over it.
mlir::Value buildScale(ArithmeticBuilder &b, mlir::Value amax,
                       mlir::Value largest);
/// The same with the largest number of `element`.
mlir::Value buildScale(ArithmeticBuilder &b, mlir::Value amax,
                       mlir::Type element);

/// `count` elements of `values`, a vector, from `first` on.
mlir::Value buildPart(ArithmeticBuilder &b, mlir::Value values, int64_t first,
                      int64_t count);
/// One element of `values`, a vector, as a scalar.
mlir::Value buildElement(ArithmeticBuilder &b, mlir::Value values,
                         int64_t index);

/// What numbers that were multiplied by `scale` are multiplied by: 1 over it.
mlir::Value buildInverseScale(ArithmeticBuilder &b, mlir::Value scale);

/// The inverses of the scales of blocks whose largest magnitudes are `amax`, as
/// f8E8M0FNU: the smallest power of two with which each of them is at most the
/// largest number of `element`.
mlir::Value buildBlockInverse(ArithmeticBuilder &b, mlir::Value amax,
                              mlir::Type element);

/// The order of so many dimensions of which the last two are swapped.
llvm::SmallVector<int64_t> getMatrixTranspose(int64_t rank);
/// A copy of `value` with its last two dimensions swapped.
mlir::Value buildTransposed(ArithmeticBuilder &b, mlir::Value value);

/// `value` with zeros behind its elements along the last two dimensions, so
/// many that those are multiples of `rows` and `columns`.
mlir::Value buildPadded(ArithmeticBuilder &b, mlir::Value value, int64_t rows,
                        int64_t columns);
/// The first elements of `value` along its last two dimensions.
mlir::Value buildFirst(ArithmeticBuilder &b, mlir::Value value, int64_t rows,
                       int64_t columns);

/// Into how many squares of `size` rows and columns a matrix is cut, whose last
/// ones may be smaller.
int64_t countSquares(mlir::RankedTensorType type, int64_t size);
/// `values`, a vector with one for each `height` rows and `width` columns of a
/// matrix of `shape`, row by row, in every element of such a matrix.
mlir::Value buildRepeated(ArithmeticBuilder &b, mlir::Value values,
                          int64_t height, int64_t width,
                          llvm::ArrayRef<int64_t> shape);

} // namespace accel

#endif
