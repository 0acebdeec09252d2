// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a product, element by element, in the kernel that computes
// it: bias, activation, residual, dropout, another type.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTEPILOGUE_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTEPILOGUE_H

#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Loops/KernelEmitter.h"
#include "passes/Target/Cpu/ProductTiles.h"

namespace accel {

/// Computes and stores the results that are not the product itself. Borrows:
/// the emitter.
class ProductEpilogue {
public:
  ProductEpilogue(KernelEmitter &emitter, MatmulOp op,
                  const ProductTiles &tiles)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
        product(op.getResult()), tiles(tiles) {}

  /// Whether the product is the only result.
  bool isEmpty() const;

  /// Writes the epilogue over part of one matrix, row by row, whose finished
  /// sums are `sums` from its first element on. `firstRow`: of the matrix,
  /// among the rows of all matrices.
  void emit(const ProductRange &rows, const ProductRange &columns,
            mlir::AffineExpr firstRow, const ProductMatrix &sums) const;

private:
  void emitRow(mlir::AffineExpr row, const ProductRange &columns,
               mlir::Value sums) const;
  mlir::Value keptRow(const ProductMatrix &sums, mlir::Value row,
                      mlir::Value count) const;
  int64_t columnDivisor() const;

  KernelEmitter &emitter;
  IndexArithmetic t;
  mlir::Value product;
  ProductTiles tiles;
};

} // namespace accel

#endif
