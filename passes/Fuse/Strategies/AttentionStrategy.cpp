// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention has a kernel of its own, which writes its results in the order that
// their only user asks for.
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"

using namespace mlir;
using namespace accel;

namespace {

class AttentionStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override { return isAttention(op); }
  void place(Operation *op) override;
};

} // namespace

void AttentionStrategy::place(Operation *op) {
  copies.copyUnreadable(op);
  FusionSection &section = plan.getSection();
  unsigned number = plan.start(op, LoopKind::Attention, 1, 0, /*open=*/false);
  for (Value result : op->getResults()) {
    Operation *user = result.hasOneUse() ? *result.user_begin() : nullptr;
    if (keepsLastDimension(user) && section.getGraph().contains(user)) {
      section.markCopied(user->getResult(0));
      plan.join(user, number);
    }
  }
}

std::unique_ptr<FusionStrategy>
accel::createAttentionStrategy(FusionState &state) {
  return std::make_unique<AttentionStrategy>(state);
}
