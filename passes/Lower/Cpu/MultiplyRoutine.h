// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that multiply matrices, packed or as they lie, for all products
// of a module, of sizes and strides known at run time.
#ifndef ACCEL_PASSES_LOWER_CPU_MULTIPLYROUTINE_H
#define ACCEL_PASSES_LOWER_CPU_MULTIPLYROUTINE_H

#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Cpu/TileCode.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// An operand as the innermost loop reads it, from where a part of it begins.
struct MultipliedOperand {
  /// If it is packed: `stride` is from one packed row, or panel, to the next.
  ProductMatrix matrix;
  bool isPacked;
  /// Of a view of windows: where the part begins.
  mlir::Value firstRow = {}, firstColumn = {};
};

/// Rows of the left matrix by columns of the right one; the depth is that of
/// what is packed.
struct MultipliedParts {
  MultipliedOperand lhs, rhs;
  mlir::Value rows, columns, depth;
  int64_t allRows, allColumns; ///< of the whole matrices
};

struct RegisterOperand;

/// Calls of the routine at the insertion point of a builder. If it is not there
/// yet, it is added to the module.
class MultiplyRoutine {
public:
  using Value = mlir::Value;

  MultiplyRoutine(mlir::ModuleOp module, const ProductBlock &block,
                  const PackedFormat &format)
      : module(module), block(block), format(format) {}

  /// Multiplies all rows by all columns, one register block after the other,
  /// into `result`; they are added to what is there if `adds`, an i1. All rows
  /// meet a panel before the next one: it comes from the second cache once.
  /// Requires of a right matrix that is not packed: that its columns, and those
  /// that are neighbours in windows, are a multiple of a register block's.
  /// Requires of both: that their stride is a constant.
  void multiply(const TileCode &t, const MultipliedParts &product,
                const ProductMatrix &result, Value adds) const;

private:
  struct Arguments;
  struct Forms;
  RegisterOperand getLeft(const TileCode &t, const Arguments &a,
                          const Forms &forms, Value row) const;
  RegisterOperand getRight(const TileCode &t, const Arguments &a,
                           const Forms &forms, Value column) const;
  void write(const TileCode &t, const Arguments &a, const Forms &forms) const;

  mlir::ModuleOp module;
  ProductBlock block;
  PackedFormat format;
};

} // namespace accel

#endif
