// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the sums of a product are kept, from its first block of the summed
// index to its last.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTSUMS_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTSUMS_H

#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Loops/KernelEmitter.h"
#include "passes/Target/Cpu/ProductTiles.h"

#include <optional>

namespace accel {

/// A matrix of f32, whatever the operands are: the product's own result, or, if
/// nobody wants it as it is, a result that is computed from it element by
/// element, or, where none is f32, part of the workspace.
class ProductSums {
public:
  /// Null after an error: results do not fit the product.
  static std::optional<ProductSums> find(KernelEmitter &emitter, MatmulOp op,
                                         const ProductTiles &tiles);

  /// Of the first of the products that lie one behind the other.
  const ProductMatrix &getMatrix() const { return matrix; }
  /// Whether the workspace has them, those of some rows and columns at a time.
  bool areKept() const { return isKept; }
  /// Whether sums of `block` are added to what is there, an i1: those behind
  /// the first block are, and all are where the kernel adds to its result.
  mlir::Value adds(const IndexArithmetic &t, const DepthBlock &block) const;

private:
  ProductSums(const ProductMatrix &matrix, const Storing &storing, bool isKept)
      : matrix(matrix), storing(storing), isKept(isKept) {}

  ProductMatrix matrix;
  Storing storing;
  bool isKept;
};

} // namespace accel

#endif
