// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concatenations have kernels of their own.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusionStrategy.h"

using namespace mlir;
using namespace accel;

namespace {

class ConcatStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override { return isa<ConcatOp>(op); }
  void place(Operation *op) override;
};

} // namespace

void ConcatStrategy::place(Operation *op) {
  plan.start(op, LoopKind::Concat, getNumElements(op->getResult(0)), 0,
             /*open=*/false);
}

std::unique_ptr<FusionStrategy>
accel::createConcatStrategy(FusionState &state) {
  return std::make_unique<ConcatStrategy>(state);
}
