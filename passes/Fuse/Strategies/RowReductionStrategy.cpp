// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over rows join the loop that makes the rows.
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

using namespace mlir;
using namespace accel;

namespace {

class RowReductionStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override {
    return getFusionKindOf(op) == FusionKind::Reduction && !isViewOp(op) &&
           !isColumnSum(op);
  }
  void place(Operation *op) override;

private:
  Decision mayJoin(unsigned number, Operation *op, int64_t columns) const;
};

} // namespace

Decision RowReductionStrategy::mayJoin(unsigned number, Operation *op,
                                       int64_t columns) const {
  const FusionGroup &group = plan.getGroup(number);
  if (Decision decision = joinsRows(plan.getSection(), target, group, op,
                                    op->getOperand(0), columns);
      !decision) {
    return decision;
  }
  if (group.columns != columns &&
      !fitsRows(plan.getSection(), group, columns)) {
    return Decision::no("what it reads does not lie in rows of that length");
  }
  return plan.closesCycle({number}, op)
             ? Decision::no("the kernel would wait for itself")
             : Decision::yes();
}

void RowReductionStrategy::place(Operation *op) {
  Value operand = op->getOperand(0);
  int64_t elements = getNumElements(operand);
  int64_t columns = getReducedColumns(op);
  Operation *producer = plan.getSection().getRoot(operand).getDefiningOp();
  if (std::optional<unsigned> number = plan.find(producer)) {
    Decision decision = mayJoin(*number, op, columns);
    if (decision) {
      plan.merge({*number}, op, elements, columns);
      return;
    }
    plan.refuse(op, operand, decision);
  }
  RowFit fit = fitRows(plan.getSection(), op, elements, columns);
  llvm::for_each(fit.copied, [&](Value value) { copies.copy(value, op); });
  plan.start(op, LoopKind::Rows, elements, columns, /*open=*/true);
}

std::unique_ptr<FusionStrategy>
accel::createRowReductionStrategy(FusionState &state) {
  return std::make_unique<RowReductionStrategy>(state);
}
