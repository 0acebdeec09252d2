// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all products of a module share: functions that pack parts of their
// matrices and that sum one register block, of sizes and strides known at run
// time. One product's code of its own is its loops around them.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTROUTINES_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTROUTINES_H

#include "passes/Lower/Cpu/TileCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Calls of the routines at the insertion point of a builder. What is not there
/// yet is added to the module.
///
/// Matrices are floats in memory from element `at` on; rows (or, where they are
/// contiguous, columns) lie `stride` elements apart. Counts and places are
/// indices.
///
/// Packed rows of the left matrix are blocks one behind the other, as many rows
/// as a register block has: for every summed index, that many neighbouring
/// floats. Panels of the right one are, for every summed index, `panel()`
/// floats; they lie `panelStride` apart.
class ProductRoutines {
public:
  using Value = mlir::Value;

  /// Floats in memory.
  struct Matrix {
    Value buffer; ///< a memref of rank 1
    Value at;
    Value stride;
    bool isTransposed = false; ///< neighbours in memory are those of a column
  };
  /// Where packed floats go in a buffer.
  struct Packed {
    Value buffer;
    Value at;
  };

  /// `blockVectors`: how many vectors of 16 the target keeps in registers
  /// beside each other.
  ProductRoutines(mlir::ModuleOp module, int64_t blockVectors);

  int64_t panel() const { return panelColumns; }

  /// Packs `rows` rows of `depth` elements.
  void packLhs(const TileCode &t, const Matrix &from, const Packed &to,
               Value rows, Value depth) const;
  /// Packs `columns` columns of `depth` elements.
  void packRhs(const TileCode &t, const Matrix &from, const Packed &to,
               Value panelStride, Value columns, Value depth) const;
  /// Multiplies packed rows by all panels, one register block after the other,
  /// into `rows` times `columns` elements of `result`; they are added to what
  /// is there if `adds`, an i1. All rows meet a panel before the next one: it
  /// comes from the second cache once.
  void multiply(const TileCode &t, const Packed &lhs, const Packed &rhs,
                Value panelStride, Value depth, const Matrix &result,
                Value rows, Value columns, Value adds) const;

private:
  using Values = TileCode::Values;
  /// The arguments of the routines.
  struct PackLhs;
  struct PackRhs;
  struct Multiply;
  template <typename Arguments>
  using Body = void (ProductRoutines::*)(const TileCode &,
                                         const Arguments &) const;

  template <typename Arguments>
  void call(const TileCode &t, llvm::StringRef name, const Arguments &arguments,
            Body<Arguments> body) const;
  void packTransposed(const TileCode &t, const Matrix &from, const Packed &to,
                      Value first, Value last, int64_t wanted, Value depth,
                      int64_t step) const;
  void writePackLhsRows(const TileCode &t, const PackLhs &a) const;
  void writePackLhsColumns(const TileCode &t, const PackLhs &a) const;
  void writePackRhsRows(const TileCode &t, const PackRhs &a) const;
  void writePackRhsColumns(const TileCode &t, const PackRhs &a) const;
  void writeMultiply(const TileCode &t, const Multiply &a) const;

  mlir::ModuleOp module;
  int64_t panelColumns, blockRows;
  int64_t packLanes; ///< of a vector while a matrix is packed
};

} // namespace accel

#endif
