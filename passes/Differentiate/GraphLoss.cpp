// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from the scalar up to what is summed.
#include "passes/Differentiate/GraphLoss.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Differentiate/SampleBlocks.h"
#include "passes/Import/ConstantValue.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

/// `value` without reshapes and changes of float type.
Value strip(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isCast = isa<CastOp>(op) &&
                  isa<FloatType>(typeOf(op->getOperand(0)).getElementType());
    if (!isCast && !isa<ReshapeOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// What `value` is the sum of; null if it is none.
Value getSummands(Value value) {
  auto sum = strip(value).getDefiningOp<ReduceSumOp>();
  return sum ? sum.getOperand() : Value();
}

/// What the sum is divided by, into `loss`; false with a reason.
bool matchDivisor(Value divisor, int64_t batch, GraphLoss &loss,
                  std::string &reason) {
  if (std::optional<double> number = getSplat(divisor)) {
    double each = *number / static_cast<double>(batch);
    loss.perSample = static_cast<int64_t>(each);
    if (each < 1 || std::floor(each) != each) {
      reason = "its divisor is no multiple of the " + std::to_string(batch) +
               " samples";
      return false;
    }
    return true;
  }
  Value count = strip(divisor);
  if (auto guard = count.getDefiningOp<MaxOp>()) {
    // At least one, so that nothing is divided by zero.
    bool isSecond = getSplat(guard.getRhs()).has_value();
    if (isSecond || getSplat(guard.getLhs())) {
      count = strip(isSecond ? guard.getLhs() : guard.getRhs());
    }
  }
  loss.counts = getSummands(count);
  if (!loss.counts) {
    reason = "its divisor is neither a number nor a count of targets";
    return false;
  }
  if (dependsOnParameters(loss.counts)) {
    reason = "its divisor depends on parameters";
    return false;
  }
  return true;
}

} // namespace

FailureOr<GraphLoss> matchGraphLoss(func::FuncOp forward, Value scalar,
                                    int64_t batch, std::string &reason) {
  GraphLoss loss;
  Value sum = strip(scalar);
  if (auto quotient = sum.getDefiningOp<DivOp>()) {
    if (!matchDivisor(quotient.getRhs(), batch, loss, reason)) {
      return failure();
    }
    sum = quotient.getLhs();
  }
  loss.losses = getSummands(sum);
  if (!loss.losses) {
    reason = "it is neither a sum of losses nor their mean";
    return failure();
  }
  SampleBlocks blocks(forward.getBody().front(), batch);
  if (!blocks.areSeparate(loss.losses) ||
      (loss.counts && !blocks.areSeparate(loss.counts))) {
    reason = "what it sums is not known to belong to one sample each";
    return failure();
  }
  return loss;
}

} // namespace accel
