// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rule for each kind of loop; rows are as long as the views allow through
// which a kernel reads its operands.
#include "passes/Fuse/KernelDomain.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

#include <numeric>

using namespace mlir;
using namespace accel;

/// The longest run, at most `run`, that `value` of one element per iteration
/// can be read in.
static int64_t getOperandRun(const FusionPlan &plan, Value value, int64_t run) {
  Value root = plan.getSection().getRoot(value);
  run = getRunLength(value, root, run);
  bool isIndex = isa_and_nonnull<IotaOp>(root.getDefiningOp()) && run > 1 &&
                 getRunStride(value, root) == 1;
  return isIndex ? std::gcd(run, shapeOf(root).back()) : run;
}

/// The longest run that all accesses of a group without row reductions can be
/// made in.
static int64_t findRun(const FusionPlan &plan, const FusionGroup &group) {
  int64_t run = group.elements;
  for (Operation *op : group.ops) {
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      run =
          std::gcd(run, group.elements / getNumElements(dropout.getSamples()));
    }
    if (auto gather = dyn_cast<GatherOp>(op)) {
      int64_t width = group.elements / getNumElements(gather.getIndices());
      run = getRunLength(gather.getTable(),
                         plan.getSection().getRoot(gather.getTable()),
                         std::gcd(run, width));
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (getNumElements(operand) == group.elements) {
        run = getOperandRun(plan, operand, run);
      }
    }
  }
  return run;
}

/// The scores: those of each head, row by row.
static IterationDomain getAttentionDomain(Operation *op) {
  ArrayRef<int64_t> query = shapeOf(op->getOperand(0));
  int64_t columns = shapeOf(op->getOperand(1))[2];
  return IterationDomain::make(
      LoopKind::Attention, query[0] * query[1] * query[2] * columns, columns);
}

/// What is made: the elements of the result.
static IterationDomain getGroupedDomain(Operation *op) {
  Value result = op->getResult(0);
  return IterationDomain::make(LoopKind::Grouped, getNumElements(result),
                               shapeOf(result).back());
}

static IterationDomain getProductDomain(MatmulOp op, const Target &target) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  IterationDomain domain = IterationDomain::make(
      LoopKind::Product, getNumElements(op.getResult()), shape.back());
  domain.matrices = llvm::product_of(shape.drop_back(2));
  domain.block = target.getSumBlock(op);
  return domain;
}

static IterationDomain getConcatDomain(ConcatOp op, int64_t elements) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t rows = llvm::product_of(shape.take_front(op.getAxis()));
  return IterationDomain::make(LoopKind::Concat, elements, elements / rows);
}

/// Rows that a reduction needs, or none if every access is one run.
static IterationDomain getRowDomain(const FusionPlan &plan,
                                    const FusionGroup &group,
                                    const Target &target) {
  if (group.columns != 0) {
    return IterationDomain::make(LoopKind::Rows, group.elements, group.columns);
  }
  int64_t columns = findRun(plan, group);
  bool isFlat =
      columns == group.elements && llvm::none_of(group.ops, [](Operation *op) {
        return isa<DropoutOp, GatherOp, RandomNormalOp>(op);
      });
  return isFlat ? IterationDomain::make(LoopKind::Flat, group.elements, columns)
                : IterationDomain::make(LoopKind::Rows, group.elements,
                                        target.getRowLength(columns));
}

IterationDomain accel::getKernelDomain(const FusionPlan &plan,
                                       const FusionGroup &group,
                                       const Target &target) {
  Operation *first = group.ops.front();
  switch (group.kind) {
  case LoopKind::Attention:
    return getAttentionDomain(first);
  case LoopKind::Grouped:
    return getGroupedDomain(first);
  case LoopKind::Product:
    return getProductDomain(cast<MatmulOp>(first), target);
  case LoopKind::Concat:
    return getConcatDomain(cast<ConcatOp>(first), group.elements);
  case LoopKind::Columns:
    return IterationDomain::make(LoopKind::Columns, group.elements,
                                 group.columns);
  case LoopKind::Flat:
  case LoopKind::Rows:
    return getRowDomain(plan, group, target);
  }
  llvm_unreachable("all kinds of loops are listed");
}
