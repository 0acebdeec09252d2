// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions: verification and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

/// The dimensions that a reduction over `axes` leaves.
static SmallVector<int64_t> reducedShape(Value operand,
                                         ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape;
  for (int64_t axis : otherAxes(shapeOf(operand).size(), axes)) {
    shape.push_back(shapeOf(operand)[axis]);
  }
  return shape;
}

static RankedTensorType reducedType(Value operand, ArrayRef<int64_t> axes) {
  return RankedTensorType::get(reducedShape(operand, axes),
                               elementTypeOf(operand));
}

static LogicalResult verifyReduction(Operation *op, ArrayRef<int64_t> axes) {
  Value operand = op->getOperand(0);
  // reduce_sum_c1, reduce_max_c1, reduce_min_c1
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (failed(verifyAxis(op, "axes", axis, shapeOf(operand).size()))) {
      return failure();
    }
    if (axis <= previous) {
      return op->emitOpError() << "expected `axes` to increase, got " << axis
                               << " after " << previous;
    }
    previous = axis;
  }
  // reduce_sum_c2, reduce_max_c2, reduce_min_c2
  if (failed(verifyElementType(op, "result", op->getResult(0),
                               elementTypeOf(operand)))) {
    return failure();
  }
  return verifyShape(op, "result", op->getResult(0),
                     reducedShape(operand, axes));
}

/// The gradient of a maximum or minimum `extreme` of `operand`: it goes to the
/// elements that are equal to it, in equal parts.
static Value buildExtremeGradient(GradientBuilder &b, Value operand,
                                  Value extreme, Value gradient,
                                  ArrayRef<int64_t> axes) {
  Value reached = b.compare(ComparePredicate::EQ, operand,
                            b.spread(extreme, operand, axes));
  Value count = b.sum(b.create<CastOp>(reached, elementTypeOf(operand)), axes);
  Value share = b.div(gradient, count);
  return b.keepWhere(reached, b.spread(share, operand, axes));
}

/// The gradient of a maximum `largest` of `operand` that goes to the first
/// element that is equal to it, counted in row-major order.
static Value buildFirstMaximumGradient(GradientBuilder &b, Value operand,
                                       Value largest, Value gradient,
                                       ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(operand.getType())
                  .clone(b.getBuilder().getI32Type());
  int64_t count = 1;
  Value place;
  for (int64_t axis : llvm::reverse(axes)) {
    Value index = b.create<IotaOp>(type, axis);
    Value steps = count == 1 ? index : b.mul(index, count);
    place = place ? b.add(place, steps) : steps;
    count *= type.getDimSize(axis);
  }
  Value reached = b.compare(ComparePredicate::EQ, operand,
                            b.spread(largest, operand, axes));
  Value behind = b.constant(type, static_cast<double>(count));
  Value first = b.create<ReduceMinOp>(b.select(reached, place, behind), axes);
  Value isFirst =
      b.compare(ComparePredicate::EQ, place, b.spread(first, place, axes));
  return b.keepWhere(isFirst, b.spread(gradient, operand, axes));
}

void ReduceSumOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, ArrayRef<int64_t> axes) {
  build(builder, state, reducedType(operand, axes), operand, axes);
}

LogicalResult ReduceSumOp::verify() {
  return verifyReduction(*this, getAxes());
}

/// A kernel that adds nothing has no sum left to reduce.
OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  if (!isSplatOf(adaptor.getOperand(), 0.0)) {
    return {};
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

void ReduceMaxOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, ArrayRef<int64_t> axes) {
  build(builder, state, reducedType(operand, axes), operand, axes);
}

LogicalResult ReduceMaxOp::verify() {
  return verifyReduction(*this, getAxes());
}

void ReduceMinOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, ArrayRef<int64_t> axes) {
  build(builder, state, reducedType(operand, axes), operand, axes);
}

LogicalResult ReduceMinOp::verify() {
  return verifyReduction(*this, getAxes());
}

LogicalResult
ReduceSumOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.spread(gradient, getOperand(), getAxes());
  return success();
}

LogicalResult
ReduceMaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  auto build = getFirst() ? buildFirstMaximumGradient : buildExtremeGradient;
  operandGradients[0] =
      build(b, getOperand(), getResult(), gradient, getAxes());
  return success();
}

LogicalResult
ReduceMinOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] =
      buildExtremeGradient(b, getOperand(), getResult(), gradient, getAxes());
  return success();
}
