// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of a kernel, and its sizes.
#ifndef ACCEL_PASSES_ANALYSIS_PRODUCTSHAPE_H
#define ACCEL_PASSES_ANALYSIS_PRODUCTSHAPE_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// `matrices` times `rows` by `columns` sums of `depth` elements: leading
/// dimensions are matrices.
struct ProductShape {
  int64_t matrices, rows, columns, depth;

  static ProductShape get(MatmulOp product);
};

/// The product of a kernel of that kind; null if there is none.
MatmulOp getProduct(mlir::func::FuncOp kernel);

} // namespace accel

#endif
