// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products have kernels of their own, to which epilogues move later.
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"

using namespace mlir;
using namespace accel;

namespace {

class ProductStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override { return isProduct(op); }
  void place(Operation *op) override;
};

} // namespace

void ProductStrategy::place(Operation *op) {
  copies.copyUnreadable(op);
  Value result = op->getResult(0);
  plan.start(op, LoopKind::Product, getNumElements(result),
             shapeOf(result).back(), /*open=*/false);
}

std::unique_ptr<FusionStrategy>
accel::createProductStrategy(FusionState &state) {
  return std::make_unique<ProductStrategy>(state);
}
