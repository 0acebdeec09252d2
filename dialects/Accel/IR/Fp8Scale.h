// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tensors are multiplied by before they are rounded to 8 bits, so that
// their largest number becomes the largest of the format.
#ifndef ACCEL_DIALECTS_ACCEL_IR_FP8SCALE_H
#define ACCEL_DIALECTS_ACCEL_IR_FP8SCALE_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "llvm/ADT/StringRef.h"

namespace accel {

/// The state that holds the scales of parameters that microbatches read in 8
/// bits: f32, one for each, where `scale` of the parameter says.
inline constexpr llvm::StringLiteral kWeightScaleState = "weight_scale";
/// The state that holds 1 over each of them.
inline constexpr llvm::StringLiteral kWeightInverseState = "weight_inverse";
/// The state through which ranks find the largest magnitudes of those
/// parameters, of which each has its own parts.
inline constexpr llvm::StringLiteral kWeightAmaxState = "weight_amax";

/// Elements at whose multiples such parameters begin: so many of a segment have
/// one scale, wherever a rank's part of it begins.
inline constexpr int64_t kFp8Alignment = 128;

/// A tensor with a smaller largest magnitude is scaled as if it had this one,
/// so that scales and their inverses are numbers of f32. A weight of zeros
/// keeps the scale that it had.
inline constexpr double kLeastAmax = 0x1p-100;

inline bool isFp8(mlir::Type element) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element);
}

/// The largest magnitude in `tensor`, an f32 scalar; NaN if one is in it.
mlir::Value buildAmax(ArithmeticBuilder &b, mlir::Value tensor);

/// The scales of tensors whose largest magnitudes are `amax`, one for each
/// element: the largest number of `element` over it.
mlir::Value buildScale(ArithmeticBuilder &b, mlir::Value amax,
                       mlir::Type element);

/// What numbers that were multiplied by `scale` are multiplied by: 1 over it.
mlir::Value buildInverseScale(ArithmeticBuilder &b, mlir::Value scale);

} // namespace accel

#endif
