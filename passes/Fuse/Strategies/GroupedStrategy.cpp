// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose have kernels of
// their own, and nothing joins them.
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Fuse/FusionStrategy.h"

using namespace mlir;
using namespace accel;

namespace {

class GroupedStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override { return isGrouped(op); }
  void place(Operation *op) override {
    copies.copyUnreadable(op);
    plan.start(op, LoopKind::Grouped, 1, 0, /*open=*/false);
  }
};

} // namespace

std::unique_ptr<FusionStrategy>
accel::createGroupedStrategy(FusionState &state) {
  return std::make_unique<GroupedStrategy>(state);
}
