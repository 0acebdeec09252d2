// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout and random_normal inside kernels, for a scalar or for the lanes of a
// sweep.
#ifndef ACCEL_PASSES_LOWER_RANDOMOPS_H
#define ACCEL_PASSES_LOWER_RANDOMOPS_H

#include "passes/Lower/Philox.h"
#include "passes/Lower/ScalarEmitter.h"

namespace accel {

/// Marks a shift right by 2 of the place of an element, `arith.addi base,
/// index`, where base is a multiple of 4: its value, and what is computed of it
/// alone, is the same for four neighbours. They are computed once for the four.
inline constexpr llvm::StringLiteral kQuarterAttr = "accel.quarter";

/// The low 32 bits of a random operation's site: `number`, plus what
/// `siteOffset` holds if it is not null. Null after an error.
mlir::Value emitSite(ScalarEmitter &emitter, mlir::Location loc, int64_t number,
                     mlir::Value siteOffset);

/// One element of a random operation: where its words come from and how its
/// value is made of them.
///
/// What is the same for all elements of a run is computed by the emitter when
/// the object is made, what is not by `build`.
class RandomElement {
public:
  /// For elements of `op` in the run that `position` lies in. `isValid` tells
  /// whether that succeeded.
  RandomElement(ScalarEmitter &emitter, DropoutOp op,
                mlir::AffineExpr position);
  RandomElement(ScalarEmitter &emitter, RandomNormalOp op,
                mlir::AffineExpr position);

  bool isValid() const { return valid; }

  /// The place of the element at `position` that `build` counts from: within
  /// its sample, or within the tensor.
  mlir::AffineExpr getFirst() const { return first; }
  /// The type in which places are counted: i32 where it suffices.
  mlir::Type getPlaceType() const { return placeType; }

  /// The value at `place`. Requires: `operand` is the element to drop, null for
  /// random_normal; with `startsBlock`, `place` is the sum of a multiple of 4
  /// and the index of a loop.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Value place,
                    mlir::Value operand, bool startsBlock) const;

private:
  mlir::Value buildDropout(mlir::OpBuilder &builder, mlir::Value place,
                           mlir::Value operand, bool startsBlock) const;
  mlir::Value buildNormal(mlir::OpBuilder &builder, mlir::Value place) const;
  std::array<mlir::Value, 4> buildBlock(mlir::OpBuilder &builder,
                                        mlir::Value block) const;

  mlir::Operation *op;
  mlir::Location loc;
  bool valid = false;
  mlir::AffineExpr first;
  mlir::Type placeType;
  llvm::ArrayRef<int64_t> routineLanes;
  PhiloxKeys keys;                   ///< of dropout
  mlir::Value sampleLow, sampleHigh; ///< of dropout
  mlir::Value seedLane, siteLane;    ///< of random_normal, i64
};

mlir::Value emitRandomScalar(ScalarEmitter &emitter, DropoutOp op,
                             mlir::AffineExpr position);
mlir::Value emitRandomScalar(ScalarEmitter &emitter, RandomNormalOp op,
                             mlir::AffineExpr position);

} // namespace accel

#endif
