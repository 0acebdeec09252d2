// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the matrices of a product lie in memory, as they are and packed, and the
// parts that they are cut into.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTLAYOUT_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTLAYOUT_H

#include "passes/Lower/IndexArithmetic.h"

#include "mlir/IR/Value.h"

namespace accel {

struct WindowMatrix;

/// Rows or columns from `first` to `last` - 1.
struct ProductRange {
  mlir::Value first, last;

  mlir::Value count(const IndexArithmetic &t) const {
    return t.sub(last, first);
  }
};

/// A block of the summed index: `depth` of it from `first` on.
struct DepthBlock {
  mlir::Value first, depth;
};

/// Numbers in memory from element `at` on; rows (or, where they are contiguous,
/// columns) lie `stride` elements apart. Both are indices.
struct ProductMatrix {
  mlir::Value buffer; ///< a memref of rank 1
  mlir::Value at;
  mlir::Value stride;
  bool isTransposed = false; ///< neighbours in memory are those of a column
  /// Not null: rows lie as this says, and `stride` means nothing. Borrowed.
  const WindowMatrix *windows = nullptr;

  /// The matrix from an element on. Requires: no `windows`.
  ProductMatrix from(const IndexArithmetic &t, mlir::Value row,
                     mlir::Value column) const;
  /// The matrix `elements` further on in the buffer.
  ProductMatrix behind(const IndexArithmetic &t, mlir::Value elements) const;
};

/// An operand of a product. Blocks of the summed index may have scales: a
/// matrix likewise, with an element for each block.
struct ProductOperand {
  ProductMatrix numbers;
  ProductMatrix scales; ///< no buffer: there are none

  bool areScaled() const { return bool(scales.buffer); }
};

/// Where packed floats go in a buffer.
///
/// Packed rows of the left matrix are blocks one behind the other, as many rows
/// as a register block has: for every summed index, that many neighbouring
/// floats. Panels of the right one are, for every summed index, as many floats
/// as a register block is wide; they lie some stride apart.
struct PackedMatrix {
  mlir::Value buffer;
  mlir::Value at;
};

/// The sizes of a register block.
struct ProductBlock {
  int64_t rows;
  int64_t columns; ///< of a panel
  int64_t lanes;   ///< of a vector while a matrix is packed

  /// For a target that keeps `vectors` of 16, one or two, in registers beside
  /// each other. Twelve sums, two operands and a broadcast fill the sixteen
  /// registers of AVX2; twice as many sums of twice the width those of AVX-512.
  static ProductBlock get(int64_t vectors) {
    return vectors == 1 ? ProductBlock{6, 16, 8} : ProductBlock{12, 32, 16};
  }
};

} // namespace accel

#endif
