// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of views have kernels of their own, and constants that are written may
// join the kernel that has read what was there.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"

using namespace mlir;
using namespace accel;

namespace {

class CopyStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override {
    return isViewOp(op) && plan.getSection().isCopied(op);
  }
  void place(Operation *op) override;

private:
  std::optional<unsigned> findReader(Operation *copy) const;
};

} // namespace

/// The group in which a constant is written where the group has read what was
/// there before: gradients are cleared by the update that used them.
std::optional<unsigned> CopyStrategy::findReader(Operation *copy) const {
  const FusionSection &section = plan.getSection();
  Value result = copy->getResult(0);
  bool isWritten =
      result.hasOneUse() && isa<WriteOp>(*result.user_begin()) &&
      isSource(section.getRoot(copy->getOperand(0)).getDefiningOp());
  if (!isWritten) {
    return std::nullopt;
  }
  for (Operation *reader :
       llvm::reverse(section.getGraph().getPredecessors(copy))) {
    std::optional<unsigned> number = plan.find(reader);
    if (!number) {
      continue;
    }
    const FusionGroup &group = plan.getGroup(*number);
    bool fits = group.kind == LoopKind::Rows && group.open &&
                group.elements == getNumElements(result);
    if (fits && !plan.closesCycle({*number}, copy)) {
      return number;
    }
  }
  return std::nullopt;
}

void CopyStrategy::place(Operation *op) {
  int64_t elements = getNumElements(op->getResult(0));
  if (std::optional<unsigned> number = findReader(op)) {
    plan.merge({*number}, op, elements, plan.getGroup(*number).columns);
  } else {
    plan.start(op, LoopKind::Rows, elements, 0, /*open=*/false);
  }
}

std::unique_ptr<FusionStrategy> accel::createCopyStrategy(FusionState &state) {
  return std::make_unique<CopyStrategy>(state);
}
