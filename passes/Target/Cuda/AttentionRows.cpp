// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes from the operands' shapes.
#include "passes/Target/Cuda/AttentionRows.h"

#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

template <typename OpTy>
static AttentionRows getSizes(OpTy op, bool isGradient) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  ArrayRef<int64_t> key = shapeOf(op.getKey());
  return {query[0],
          query[1],
          key[1],
          query[2],
          key[2],
          query[3],
          shapeOf(op.getValue())[3],
          op.getCausal(),
          isGradient};
}

AttentionRows AttentionRows::get(Operation *op) {
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    return getSizes(forward, /*isGradient=*/false);
  }
  return getSizes(cast<AttentionGradOp>(op), /*isGradient=*/true);
}
