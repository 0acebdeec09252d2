// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short words for code over vectors of 16 floats: index arithmetic, lanes,
// loops and memory.
#ifndef ACCEL_PASSES_LOWER_CPU_TILECODE_H
#define ACCEL_PASSES_LOWER_CPU_TILECODE_H

#include "passes/Target/Cpu/AttentionTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// Writes code at the insertion point of a builder. Indices fold where they are
/// constants. Lanes are vector<16xf32> unless said otherwise.
///
/// Borrows: the builder.
class TileCode {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  using LoopBody =
      llvm::function_ref<Values(Value index, const Values &carried)>;

  TileCode(mlir::OpBuilder &builder, mlir::Location loc);

  // Index arithmetic.
  Value index(int64_t value) const;
  Value add(Value a, Value b) const;
  Value add(Value a, int64_t b) const { return add(a, index(b)); }
  Value sub(Value a, Value b) const;
  Value mul(Value a, int64_t b) const;
  Value mul(Value a, Value b) const;
  Value div(Value a, int64_t b) const;
  Value rem(Value a, int64_t b) const;
  Value min(Value a, Value b) const;
  Value max(Value a, Value b) const; ///< of signed indices
  Value isEqual(Value a, Value b) const;
  Value isLess(Value a, Value b) const; ///< of signed indices
  Value choose(Value condition, Value a, Value b) const;
  Value constantTrue() const; ///< an i1

  // Lanes.
  Value lanes(double value) const;
  Value splat(Value scalar) const;
  Value scalar(double value) const;
  Value fma(Value a, Value b, Value c) const;
  Value plus(Value a, Value b) const;
  Value minus(Value a, Value b) const;
  Value times(Value a, Value b) const;
  Value over(Value a, Value b) const;
  Value negated(Value a) const;
  Value magnitude(Value a) const;
  Value exp(Value a) const;
  Value log(Value a) const;
  /// The larger; `b` if either is no number.
  Value larger(Value a, Value b) const;
  Value equals(Value a, Value b) const;
  Value select(Value mask, Value a, Value b) const;
  /// Which lanes have a number that compares so with `x`, a signed index.
  Value lanesThat(mlir::arith::CmpIPredicate how, Value x) const;
  /// Which lanes have their sign bit set.
  Value isNegative(Value a) const;
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

  /// What `body` makes of `values` if `condition` holds, else they.
  Values onlyIf(Value condition, const Values &values,
                llvm::function_ref<Values()> body) const;
  /// `otherwise`: null for nothing.
  void onlyIf(Value condition, llvm::function_ref<void()> body,
              llvm::function_ref<void()> otherwise = nullptr) const;

  mlir::OpBuilder &getBuilder() const { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({kTileLanes}, element);
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::VectorType floats;
};

/// Rows of numbers, one behind the other or some stride apart. Lanes beyond the
/// last column are zero when read, and not written.
class TileRows {
public:
  using Value = mlir::Value;

  TileRows() = default;
  /// `rows` times `columns` elements of a buffer from element `offset` on.
  TileRows(const TileCode &code, Value buffer, Value offset, int64_t rows,
           int64_t columns, int64_t rowStride);

  int64_t getColumns() const { return columns; }
  Value scalar(Value row, Value column) const;
  /// Sixteen elements from `column` on, all of which exist if it is no
  /// constant.
  Value lanes(Value row, int64_t column) const;
  Value lanes(Value row, Value column) const;
  /// The same where it is known that all exist.
  Value allLanes(Value row, Value column) const;
  /// The same; those beyond the last column are `otherwise`.
  Value someLanes(Value row, Value column, Value otherwise) const;
  void store(Value lanes, Value row, int64_t column) const;
  void store(Value lanes, Value row, Value column) const;
  void storeAll(Value lanes, Value row, Value column) const;
  void storeScalar(Value scalar, Value row, Value column) const;

private:
  Value existing(int64_t column) const;

  const TileCode *code = nullptr;
  Value memory;
  int64_t columns = 0;
};

} // namespace accel

#endif
