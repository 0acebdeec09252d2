// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of operations, as the fusion planner tells them apart.
#include "passes/Fuse/FusableOps.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

FusionKind accel::getFusionKindOf(Operation *op) {
  if (isa<DropoutOp, RandomNormalOp>(op)) {
    return FusionKind::Elementwise;
  }
  if (isViewOp(op)) {
    return FusionKind::View;
  }
  auto fusable = dyn_cast<FusionOpInterface>(op);
  return fusable ? fusable.getFusionKind() : FusionKind::None;
}

bool accel::isProduct(Operation *op) { return isa_and_nonnull<MatmulOp>(op); }

bool accel::isAttention(Operation *op) {
  return isa<AttentionOp, AttentionGradOp>(op);
}

bool accel::isSink(Operation *op) {
  return isa<WriteOp, AccumulateOp, MetricOp>(op);
}

static constexpr llvm::StringLiteral kRecomputedAttr = "accel.recomputed";

bool accel::isRecomputed(Operation *op) {
  return op && op->hasAttr(kRecomputedAttr);
}

void accel::setRecomputed(Operation *op, bool is) {
  if (is) {
    op->setAttr(kRecomputedAttr, UnitAttr::get(op->getContext()));
  } else {
    op->removeAttr(kRecomputedAttr);
  }
}

bool accel::isComputed(Operation *op) {
  if (isAttention(op) || isProduct(op) || isGrouped(op)) {
    return true;
  }
  switch (getFusionKindOf(op)) {
  case FusionKind::Elementwise:
  case FusionKind::Assembly:
  case FusionKind::Reduction:
  case FusionKind::Gather:
  case FusionKind::ScatterAdd:
    return true;
  default:
    return false;
  }
}

/// Whether a reduction sums leading dimensions (for each column) rather than
/// trailing ones (for each row).
static bool isColumnReduction(Operation *op) {
  auto sum = dyn_cast<ReduceSumOp>(op);
  if (!sum) {
    return false;
  }
  int64_t rank = shapeOf(sum.getOperand()).size();
  return sum.getAxes().front() !=
         rank - static_cast<int64_t>(sum.getAxes().size());
}

bool accel::isColumnSum(Operation *op) {
  return isColumnReduction(op) || isa<ScatterAddOp>(op);
}

int64_t accel::getReducedColumns(Operation *op) {
  return getNumElements(op->getOperand(0)) / getNumElements(op->getResult(0));
}

/// Whether `value` numbers the site of a random operation: what differs between
/// layers that share a kernel.
static bool isSiteOffset(Value value) {
  // Numbers that many operations share, as zeros, are floats.
  return elementTypeOf(value).isInteger() &&
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return llvm::TypeSwitch<Operation *, bool>(user)
               .Case<DropoutOp, RandomNormalOp, AttentionOp, AttentionGradOp>(
                   [&](auto random) { return random.getSiteOffset() == value; })
               .Default(false);
         });
}

bool accel::isSource(Operation *op) {
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat() && !isSiteOffset(constant.getResult());
  }
  return isa_and_nonnull<IotaOp>(op);
}
