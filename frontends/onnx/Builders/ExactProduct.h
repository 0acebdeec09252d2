// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that are how an operator is computed, and no layers.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_EXACTPRODUCT_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_EXACTPRODUCT_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// The product of `lhs` and `rhs`, of `shape`, in f32 whatever precision is
/// asked for.
inline mlir::Value makeExactProduct(const NodeConversion &c,
                                    llvm::ArrayRef<int64_t> shape,
                                    mlir::Value lhs, mlir::Value rhs,
                                    bool transposeRhs) {
  auto product =
      MatmulOp::create(c.builder, c.loc, c.typeOf(lhs).clone(shape), lhs, rhs,
                       /*transposeLhs=*/false, transposeRhs);
  product.setExact(true);
  return product;
}

} // namespace accel::onnx

#endif
