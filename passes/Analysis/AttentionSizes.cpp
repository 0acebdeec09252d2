// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes from the operands' shapes.
#include "passes/Analysis/AttentionSizes.h"

#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

static bool sumsBias(AttentionOp) { return false; }
static bool sumsBias(AttentionGradOp op) {
  return static_cast<bool>(op.getBiasGradient());
}

template <typename OpTy> static AttentionSizes getSizes(OpTy op) {
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
          std::is_same_v<OpTy, AttentionGradOp>,
          sumsBias(op)};
}

AttentionSizes AttentionSizes::get(Operation *op) {
  auto forward = dyn_cast<AttentionOp>(op);
  return forward ? getSizes(forward) : getSizes(cast<AttentionGradOp>(op));
}

Operation *accel::findAttention(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<AttentionOp, AttentionGradOp>(op)) {
      return &op;
    }
  }
  return nullptr;
}
