// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives products operands whose summed index comes last, where a target
// multiplies no others.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {
#define GEN_PASS_DEF_LAYOUTPRODUCTSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class LayOutProductsPass
    : public accel::impl::LayOutProductsPassBase<LayOutProductsPass> {
public:
  using LayOutProductsPassBase::LayOutProductsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    transposed.clear();
    getOperation().walk([&](MatmulOp product) {
      if (product.getScales().empty() && target->wantsSummedLast(product)) {
        layOut(product);
      }
    });
  }

private:
  void layOut(MatmulOp product);
  /// `matrices` with the last two dimensions swapped, one copy for all
  /// products.
  Value transpose(Value matrices);

  llvm::DenseMap<Value, Value> transposed;
};

} // namespace

Value LayOutProductsPass::transpose(Value matrices) {
  Value &known = transposed[matrices];
  if (!known) {
    OpBuilder builder(matrices.getContext());
    builder.setInsertionPointAfterValue(matrices);
    ArithmeticBuilder b(builder, matrices.getLoc());
    known = buildTransposed(b, matrices);
  }
  return known;
}

void LayOutProductsPass::layOut(MatmulOp product) {
  if (product.getTransposeLhs()) {
    product.getLhsMutable().assign(transpose(product.getLhs()));
    product.setTransposeLhs(false);
  }
  if (!product.getTransposeRhs()) {
    product.getRhsMutable().assign(transpose(product.getRhs()));
    product.setTransposeRhs(true);
  }
}
