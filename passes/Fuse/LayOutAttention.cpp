// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a transposed result of attention the one that everybody reads.
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace accel {
#define GEN_PASS_DEF_LAYOUTATTENTIONPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// The transpose among the users of `result` that comes first, if there is one.
static TransposeOp findTranspose(Value result) {
  TransposeOp first;
  for (Operation *user : result.getUsers()) {
    bool isFirst = keepsLastDimension(user) &&
                   user->getBlock() == result.getParentBlock() &&
                   (!first || user->isBeforeInBlock(first));
    if (isFirst) {
      first = cast<TransposeOp>(user);
    }
  }
  return first;
}

static void layOut(Value result) {
  TransposeOp transpose = findTranspose(result);
  if (!transpose || result.hasOneUse()) {
    return;
  }
  transpose->moveAfter(result.getDefiningOp());
  OpBuilder builder(transpose->getContext());
  builder.setInsertionPointAfter(transpose);
  Value again = TransposeOp::create(
      builder, transpose.getLoc(), result.getType(), transpose,
      invertPermutationVector(transpose.getPermutation()));
  result.replaceUsesWithIf(
      again, [&](OpOperand &use) { return use.getOwner() != transpose; });
}

namespace {

class LayOutAttentionPass
    : public accel::impl::LayOutAttentionPassBase<LayOutAttentionPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isa<AttentionOp, AttentionGradOp>(op)) {
        llvm::for_each(op->getResults(), layOut);
      }
    });
  }
};

} // namespace
