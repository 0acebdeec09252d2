// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The p-norm of what a pool sums: powers of the sizes in front of the sum, and
// the root behind it.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_PNORM_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_PNORM_H

#include "frontends/onnx/Builders/Formula.h"

namespace accel::onnx {

/// The attribute `p` of a pool, or an error on the node.
inline mlir::FailureOr<int64_t> getNormOrder(const NodeConversion &c) {
  int64_t p = c.getInt("p", 2);
  if (p < 1 || p > 64) {
    return c.error() << "expected p of 1 to 64, got " << p;
  }
  return p;
}

/// |value|^p, as products, which have a slope at 0.
inline mlir::Value raiseSize(const NodeConversion &c, mlir::Value value,
                             int64_t p) {
  Formula f(c, c.typeOf(value));
  mlir::Value size = f.abs(value), power = size;
  for (int64_t i = 1; i < p; ++i) {
    power = f.mul(power, size);
  }
  return power;
}

/// sum^(1/p), with the gradient 0 where it is 0: the root of 0 has no slope.
inline mlir::Value takeRoot(const NodeConversion &c, mlir::Value sum,
                            int64_t p) {
  mlir::RankedTensorType type = c.typeOf(sum);
  Formula f(c, type);
  mlir::Value isZero = f.equal(sum, f.number(0));
  mlir::Value root =
      PowOp::create(c.builder, c.loc, type, f.select(isZero, f.number(1), sum),
                    f.number(1.0 / static_cast<double>(p)));
  return f.select(isZero, f.number(0), root);
}

} // namespace accel::onnx

#endif
