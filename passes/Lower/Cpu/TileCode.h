// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code over vectors of 16 lanes: loops, branches, and what moves numbers
// between lanes. Indices are IndexArithmetic's, numbers are Arithmetic's.
#ifndef ACCEL_PASSES_LOWER_CPU_TILECODE_H
#define ACCEL_PASSES_LOWER_CPU_TILECODE_H

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Target/Cpu/AttentionTiles.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// Writes code at the insertion point of a builder. Borrows: the builder.
class TileCode : public IndexArithmetic {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using LoopBody =
      llvm::function_ref<Values(Value index, const Values &carried)>;

  using IndexArithmetic::IndexArithmetic;

  // Vector lanes.
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({kTileLanes}, element);
  }
  /// Arithmetic on vectors of `element`.
  Arithmetic lanesOf(mlir::Type element) const {
    return {builder, loc, vectorOf(element)};
  }
  Arithmetic floats() const { return lanesOf(builder.getF32Type()); }
  Value splat(Value scalar) const;
  Value zeros(mlir::VectorType type) const;
  /// Which lanes have a number that compares so with `x`, a signed index.
  Value lanesThat(mlir::arith::CmpIPredicate how, Value x) const;
  /// The sum of all lanes: halves are added to each other, whatever the target.
  Value sumLanes(Value a) const;
  /// Rows become columns: as many vectors of that many lanes, a power of two.
  Values transpose(Values rows) const;

  // Control flow.
  Values loop(Value first, Value last, int64_t step, const Values &carried,
              LoopBody body) const;
  void each(Value first, Value last, int64_t step,
            llvm::function_ref<void(Value)> body) const;
  void each(int64_t count, int64_t step,
            llvm::function_ref<void(Value)> body) const {
    each(index(0), index(count), step, body);
  }
  /// Whole steps, and the rest as `rest(index, count)`.
  void eachStep(Value count, int64_t step,
                llvm::function_ref<void(Value)> whole,
                llvm::function_ref<void(Value, Value)> rest) const;

  /// What `body` makes of `values` if `condition` holds, else they.
  Values onlyIf(Value condition, const Values &values,
                llvm::function_ref<Values()> body) const;
  /// `otherwise`: null for nothing.
  void onlyIf(Value condition, llvm::function_ref<void()> body,
              llvm::function_ref<void()> otherwise = nullptr) const;
};

} // namespace accel

#endif
