// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over columns have kernels of their own, with private copies of what
// makes their summands.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

using namespace mlir;
using namespace accel;

/// Columns of a column sum: what is left of its operand when rows are summed.
static int64_t getSummedColumns(Operation *op) {
  if (isa<ScatterAddOp>(op)) {
    return getNumElements(op->getOperand(1)) /
           getNumElements(op->getOperand(0));
  }
  return getNumElements(op->getResult(0));
}

/// Cheap element-wise operations are worth computing again inside a column sum
/// rather than storing.
static bool isCheap(Operation *op) {
  return isa<AddOp, SubOp, MulOp, NegOp, SelectOp, CompareOp, CastOp, AbsOp,
             MaxOp, MinOp, AndOp, OrOp, NotOp, ReluOp>(op);
}

/// Clones the views between `root` and `value` on top of `newRoot`, in front of
/// `before`.
static Value cloneViews(Value value, Value root, Value newRoot,
                        Operation *before,
                        SmallVectorImpl<Operation *> &clones) {
  if (value == root) {
    return newRoot;
  }
  Operation *view = value.getDefiningOp();
  Value operand =
      cloneViews(view->getOperand(0), root, newRoot, before, clones);
  Operation *copy = OpBuilder(before).clone(*view);
  copy->setOperand(0, operand);
  clones.push_back(copy);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

namespace {

class ColumnSumStrategy : public FusionStrategy {
public:
  using FusionStrategy::FusionStrategy;

  bool handles(Operation *op) const override { return isColumnSum(op); }
  void place(Operation *op) override;

private:
  Value clonePrologue(Value value, bool isRow, int64_t columns,
                      Operation *before,
                      SmallVectorImpl<Operation *> &clones) const;
  void insertPrologue(Operation *op, int64_t elements, int64_t columns,
                      unsigned number);
};

} // namespace

/// Clones what makes `value` (for every element, or with `isRow` one per row)
/// as far as that is cheap and not in memory.
Value ColumnSumStrategy::clonePrologue(
    Value value, bool isRow, int64_t columns, Operation *before,
    SmallVectorImpl<Operation *> &clones) const {
  constexpr size_t kMostClones = 24;
  Value root = plan.getSection().getRoot(value);
  Operation *producer = root.getDefiningOp();
  std::optional<unsigned> group = plan.find(producer);
  AccessRelation relation = getAccessRelation(value, root);
  bool toRow = !isRow && relation.kind == AccessKind::RowBroadcast &&
               relation.columns == columns;
  // A library stores what it makes of a product in one type.
  bool isOfLibrary = group && target.storesSums() &&
                     plan.getGroup(*group).kind == LoopKind::Product;
  if (!group || isOfLibrary || !isCheap(producer) ||
      plan.isStored(root, *group) || clones.size() >= kMostClones ||
      !(relation.kind == AccessKind::Identity || toRow)) {
    return value;
  }
  SmallVector<Value> operands =
      llvm::map_to_vector(producer->getOperands(), [&](Value operand) {
        return clonePrologue(operand, isRow || toRow, columns, before, clones);
      });
  Operation *copy = OpBuilder(before).clone(*producer);
  copy->setOperands(operands);
  clones.push_back(copy);
  return cloneViews(value, root, copy->getResult(0), before, clones);
}

/// Gives a column sum private producers, unless they cannot be walked column by
/// column.
void ColumnSumStrategy::insertPrologue(Operation *op, int64_t elements,
                                       int64_t columns, unsigned number) {
  unsigned summed = op->getNumOperands() - 1;
  SmallVector<Operation *> clones;
  Value prologue =
      clonePrologue(op->getOperand(summed), false, columns, op, clones);
  bool fits = llvm::all_of(clones, [&](Operation *clone) {
    return isViewOp(clone) ||
           fitRows(plan.getSection(), clone, elements, columns).fits();
  });
  if (!fits) {
    for (Operation *clone : llvm::reverse(clones)) {
      clone->erase();
    }
    return;
  }
  op->setOperand(summed, prologue);
  plan.getSection().insertBefore(op, clones);
  for (Operation *clone : clones) {
    if (!isViewOp(clone)) {
      plan.join(clone, number);
    }
  }
}

void ColumnSumStrategy::place(Operation *op) {
  int64_t elements = getNumElements(op->getOperands().back());
  int64_t columns = getSummedColumns(op);
  unsigned number =
      plan.start(op, LoopKind::Columns, elements, columns, /*open=*/false);
  insertPrologue(op, elements, columns, number);
  Value summed = op->getOperands().back();
  if (getRunLength(summed, plan.getSection().getRoot(summed), columns) !=
      columns) {
    copies.copy(summed, op);
  }
}

std::unique_ptr<FusionStrategy>
accel::createColumnSumStrategy(FusionState &state) {
  return std::make_unique<ColumnSumStrategy>(state);
}
