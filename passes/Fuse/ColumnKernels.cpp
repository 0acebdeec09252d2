// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion planner's kernels of sums over columns, with private copies of
// what makes their summands.
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/KernelClusters.h"

#include "llvm/ADT/STLExtras.h"

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

/// Whether a value is in memory anyway: somebody but its own kernel and sums
/// over columns uses it.
bool ClusterPlanner::isStored(Value value, unsigned cluster) const {
  return isReadBy(value, [&](Operation *user) {
    auto found = clusterOf.find(user);
    if (found == clusterOf.end()) {
      return !isColumnReduction(user) && !isa<ScatterAddOp>(user);
    }
    return found->second != cluster &&
           clusters[found->second].kind != KernelKind::Columns;
  });
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

/// Clones what makes `value` (for every element, or with `isRow` one per row)
/// as far as that is cheap and not in memory.
Value ClusterPlanner::clonePrologue(
    Value value, bool isRow, int64_t columns, Operation *before,
    SmallVectorImpl<Operation *> &clones) const {
  constexpr size_t kMostClones = 24;
  Value root = getRoot(value);
  Operation *producer = root.getDefiningOp();
  auto cluster = clusterOf.find(producer);
  AccessRelation relation = getAccessRelation(value, root);
  bool toRow = !isRow && relation.kind == AccessKind::RowBroadcast &&
               relation.columns == columns;
  if (!producer || cluster == clusterOf.end() || !isCheap(producer) ||
      isStored(root, cluster->second) || clones.size() >= kMostClones ||
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
void ClusterPlanner::insertPrologue(Operation *op, int64_t elements,
                                    int64_t columns, unsigned number) {
  unsigned summed = op->getNumOperands() - 1;
  SmallVector<Operation *> clones;
  Value prologue =
      clonePrologue(op->getOperand(summed), false, columns, op, clones);
  bool fits = llvm::all_of(clones, [&](Operation *clone) {
    SmallVector<Value> offending;
    return isViewOp(clone) ||
           (operandsAllowColumns(clone, elements, columns, offending) &&
            offending.empty());
  });
  if (!fits) {
    for (Operation *clone : llvm::reverse(clones)) {
      clone->erase();
    }
    return;
  }
  op->setOperand(summed, prologue);
  ops.insert(llvm::find(ops, op), clones.begin(), clones.end());
  graph.insert(clones);
  for (Operation *clone : clones) {
    if (!isViewOp(clone)) {
      clusters[number].ops.push_back(clone);
      clusterOf[clone] = number;
    }
  }
}

void ClusterPlanner::placeColumns(Operation *op) {
  int64_t elements = getNumElements(op->getOperands().back());
  int64_t columns = getSummedColumns(op);
  unsigned number =
      start(op, KernelKind::Columns, elements, columns, /*open=*/false);
  insertPrologue(op, elements, columns, number);
  Value summed = op->getOperands().back();
  if (getRunLength(summed, getRoot(summed), columns) != columns) {
    materialize(summed, op);
  }
}
