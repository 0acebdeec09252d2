// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the accesses of operations with the rows of a loop.
#include "passes/Fuse/RowLoop.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

/// Whether runs of `columns` elements of `operand` lie in one piece.
static bool isWalkedInRows(const FusionSection &section, Value operand,
                           int64_t columns) {
  Value root = section.getRoot(operand);
  if (getRunLength(operand, root, columns) != columns) {
    return false;
  }
  bool isIndex = isa_and_nonnull<IotaOp>(root.getDefiningOp()) &&
                 getRunStride(operand, root) == 1;
  return !isIndex || shapeOf(root).back() % columns == 0;
}

RowFit accel::fitRows(const FusionSection &section, Operation *op,
                      int64_t elements, int64_t columns) {
  RowFit fit;
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    int64_t perSample = elements / getNumElements(dropout.getSamples());
    if (perSample % columns != 0) {
      fit.isPossible = false;
      return fit;
    }
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    int64_t width = getNumElements(gather.getResult()) /
                    getNumElements(gather.getIndices());
    Value table = gather.getTable();
    fit.isPossible =
        width % columns == 0 &&
        getRunLength(table, section.getRoot(table), columns) == columns;
    return fit;
  }
  for (Value operand : op->getOperands()) {
    bool isWalked = getNumElements(operand) == elements && columns != 1;
    if (isWalked && !isWalkedInRows(section, operand, columns)) {
      fit.copied.push_back(operand);
    }
  }
  fit.isPossible = llvm::all_of(
      fit.copied, [](Value v) { return isViewOp(v.getDefiningOp()); });
  return fit;
}

bool accel::fitsRows(const FusionSection &section, const FusionGroup &group,
                     int64_t columns) {
  return llvm::all_of(group.ops, [&](Operation *op) {
    return fitRows(section, op, group.elements, columns).fits();
  });
}

Decision accel::joinsRows(const FusionSection &section, const Target &target,
                          const FusionGroup &group, Operation *op,
                          Value operand, int64_t columns) {
  if (group.kind != LoopKind::Rows || !group.open) {
    return Decision::no("its loop takes no other operations");
  }
  Value root = section.getRoot(operand);
  if (isRecomputed(op) && !isRecomputed(root.getDefiningOp())) {
    return Decision::no("backward computes it again instead of keeping it");
  }
  AccessRelation relation = getAccessRelation(operand, root);
  bool isReduction = getFusionKindOf(op) == FusionKind::Reduction;
  int64_t elements =
      getNumElements(isReduction ? op->getOperand(0) : op->getResult(0));
  bool isIdentity = relation.kind == AccessKind::Identity;
  bool rootIsFull = getNumElements(root) == group.elements;
  bool rootIsRow = group.columns > 1 && getNumElements(root) == group.rows();
  bool isFull = isIdentity && rootIsFull && elements == group.elements;
  bool isOfRows = isIdentity && rootIsRow && elements == group.rows();
  bool readsRows = relation.kind == AccessKind::RowBroadcast && rootIsRow &&
                   relation.columns == group.columns &&
                   elements == group.elements;
  if (isReduction && isFull && group.columns != 0 && group.columns != columns) {
    return Decision::no("it has rows of another length");
  }
  if (!isFull && (isReduction || !(isOfRows || readsRows))) {
    return Decision::no("it iterates in another order");
  }
  return target.mayJoin(
      {LoopKind::Rows, group.ops, group.rows(), group.columns}, op,
      !isFull && readsRows);
}
