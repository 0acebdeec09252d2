// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that stand in the place of another one.
#ifndef ACCEL_PASSES_FUSE_PRODUCTPART_H
#define ACCEL_PASSES_FUSE_PRODUCTPART_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// A product that computes a part of `product`, or more than it: for the same
/// gradient, and in the same numbers for the same reason.
inline MatmulOp createPart(ArithmeticBuilder &b, MatmulOp product,
                           llvm::ArrayRef<int64_t> shape, mlir::Value lhs,
                           mlir::Value rhs, bool transposeLhs,
                           bool transposeRhs) {
  auto part = MatmulOp::create(b.getBuilder(), b.getLoc(),
                               product.getType().clone(shape), lhs, rhs,
                               transposeLhs, transposeRhs, product.getRole());
  part.setExact(product.getExact());
  part->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  return part;
}

} // namespace accel

#endif
