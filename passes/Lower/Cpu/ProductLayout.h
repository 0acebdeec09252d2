// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the matrices of a product lie in memory, as they are and packed.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTLAYOUT_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTLAYOUT_H

#include "mlir/IR/Value.h"

namespace accel {

/// Floats in memory from element `at` on; rows (or, where they are contiguous,
/// columns) lie `stride` elements apart. Both are indices.
struct ProductMatrix {
  mlir::Value buffer; ///< a memref of rank 1
  mlir::Value at;
  mlir::Value stride;
  bool isTransposed = false; ///< neighbours in memory are those of a column
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
