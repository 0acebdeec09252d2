// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations join the loops of as many of their operands as one
// loop can serve.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

using namespace mlir;
using namespace accel;

namespace {

class ElementwiseStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override {
    switch (getFusionKindOf(op)) {
    case FusionKind::Elementwise:
    case FusionKind::Assembly:
    case FusionKind::Gather:
      return !isViewOp(op);
    default:
      return false;
    }
  }
  void place(Operation *op) override;

private:
  /// The loop that an operation would share with some groups.
  struct Loop {
    SmallVector<unsigned> groups;
    int64_t elements = 0;
    int64_t columns = 0; ///< 0: not fixed
  };

  /// Who makes an operand.
  struct Producer {
    Value operand;
    unsigned group = 0;
    bool joins = false;   ///< the same loop reads it as it makes it
    bool isWhole = false; ///< it has to be whole before it is read
  };

  /// Reports those that do not join.
  SmallVector<Producer> findProducers(Operation *op);
  /// Adds group `number`, whose results may be read, to the loop of `op`, if
  /// that can be.
  Decision extend(Loop &loop, unsigned number, Operation *op) const;
};

} // namespace

void ElementwiseStrategy::place(Operation *op) {
  int64_t elements = getNumElements(op->getResult(0));
  Loop loop;
  loop.elements = elements;
  SmallVector<Producer> producers = findProducers(op);
  for (const Producer &producer : producers) {
    bool isApart = llvm::any_of(producers, [&](const Producer &other) {
      return other.group == producer.group && other.isWhole;
    });
    if (!producer.joins || isApart ||
        llvm::is_contained(loop.groups, producer.group)) {
      continue;
    }
    if (Decision decision = extend(loop, producer.group, op); !decision) {
      plan.refuse(op, producer.operand, decision);
    }
  }
  if (loop.columns != 0 && elements == loop.elements) {
    RowFit fit = fitRows(plan.getSection(), op, elements, loop.columns);
    // A copy of what the loop makes itself would lie between two parts of it.
    bool copiesOwn = llvm::any_of(fit.copied, [&](Value value) {
      Operation *maker = plan.getSection().getRoot(value).getDefiningOp();
      std::optional<unsigned> number = plan.find(maker);
      return number && llvm::is_contained(loop.groups, *number);
    });
    if (fit.isPossible && !copiesOwn) {
      llvm::for_each(fit.copied, [&](Value value) { copies.copy(value, op); });
    } else {
      loop = {{}, elements, 0};
    }
  }
  plan.merge(loop.groups, op, loop.elements, loop.columns);
}

/// What is computed element by element can be computed again anywhere; a sum is
/// known only when its row is over.
static bool isOfSums(const FusionGroup &group) {
  return llvm::any_of(group.ops, [](Operation *op) {
    return getFusionKindOf(op) == FusionKind::Reduction;
  });
}

SmallVector<ElementwiseStrategy::Producer>
ElementwiseStrategy::findProducers(Operation *op) {
  SmallVector<Producer> producers;
  if (isa<GatherOp>(op)) {
    return producers; // its table is read from memory
  }
  for (Value operand : op->getOperands()) {
    Operation *producer = plan.getSection().getRoot(operand).getDefiningOp();
    std::optional<unsigned> number = plan.find(producer);
    if (!number) {
      continue;
    }
    Decision decision = joinsRows(plan.getSection(), target,
                                  plan.getGroup(*number), op, operand, 0);
    bool joins = static_cast<bool>(decision);
    producers.push_back(
        {operand, *number, joins, !joins && isOfSums(plan.getGroup(*number))});
    if (!decision) {
      plan.refuse(op, operand, decision);
    }
  }
  return producers;
}

Decision ElementwiseStrategy::extend(Loop &loop, unsigned number,
                                     Operation *op) const {
  const FusionGroup &group = plan.getGroup(number);
  bool isSameSpace = group.elements == loop.elements &&
                     (group.columns == loop.columns || group.columns == 0 ||
                      loop.columns == 0);
  if (!loop.groups.empty() && !isSameSpace) {
    return Decision::no("another operand's kernel iterates differently");
  }
  int64_t columns = std::max(loop.columns, group.columns);
  SmallVector<unsigned> groups(loop.groups);
  groups.push_back(number);
  bool fits = llvm::all_of(groups, [&](unsigned each) {
    return columns == plan.getGroup(each).columns ||
           fitsRows(plan.getSection(), plan.getGroup(each), columns);
  });
  if (!fits) {
    return Decision::no("what it reads does not lie in rows of that length");
  }
  if (plan.closesCycle(groups, op)) {
    return Decision::no("the kernel would wait for itself");
  }
  loop = {groups, group.elements, columns};
  return Decision::yes();
}

std::unique_ptr<FusionStrategy>
accel::createElementwiseStrategy(FusionState &state) {
  return std::make_unique<ElementwiseStrategy>(state);
}
