// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split and its transpose, concat: verification, folds and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

/// The sum of two sizes; unknown if one is.
static int64_t addSizes(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs)
             ? ShapedType::kDynamic
             : lhs + rhs;
}

/// Verifies that `parts`, called `partsName`, laid one after the other along
/// `axis`, are `whole`.
static LogicalResult verifyParts(Operation *op, Value whole,
                                 StringRef wholeName, ValueRange parts,
                                 StringRef partsName, int64_t axis) {
  ArrayRef<int64_t> shape = shapeOf(whole);
  int64_t total = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    std::string name = (partsName + "[" + Twine(i) + "]").str();
    SmallVector<int64_t> expected(shape);
    ArrayRef<int64_t> actual = shapeOf(part);
    if (actual.size() == shape.size()) {
      expected[axis] = actual[axis];
    }
    if (failed(verifyElementType(op, name, part, elementTypeOf(whole))) ||
        failed(verifyShape(op, name, part, expected))) {
      return failure();
    }
    total = addSizes(total, actual[axis]);
  }
  if (fits(total, shape[axis])) {
    return success();
  }
  return op->emitOpError() << "expected the sizes of `" << partsName
                           << "` along axis " << axis << " to add up to the "
                           << shape[axis] << " of `" << wholeName << "`, got "
                           << total;
}

void SplitOp::build(OpBuilder &builder, OperationState &state, Value operand,
                    int64_t axis, ArrayRef<int64_t> sizes) {
  SmallVector<Type> types;
  SmallVector<int64_t> shape(shapeOf(operand));
  for (int64_t size : sizes) {
    shape[axis] = size;
    types.push_back(RankedTensorType::get(shape, elementTypeOf(operand)));
  }
  build(builder, state, types, operand, axis);
}

LogicalResult SplitOp::verify() {
  // split_c1
  if (getResults().empty()) {
    return emitOpError("expected one result or more, got none");
  }
  if (failed(
          verifyAxis(*this, "axis", getAxis(), shapeOf(getOperand()).size()))) {
    return failure();
  }
  // split_c2
  return verifyParts(*this, getOperand(), "operand", getResults(), "results",
                     getAxis());
}

LogicalResult SplitOp::buildGradient(OpBuilder &builder,
                                     ValueRange resultGradients,
                                     MutableArrayRef<Value> operandGradients) {
  if (llvm::none_of(resultGradients, [](Value gradient) {
        return static_cast<bool>(gradient);
      })) {
    return success();
  }
  GradientBuilder b(builder, *this);
  SmallVector<Value> parts;
  for (auto [result, gradient] :
       llvm::zip_equal(getResults(), resultGradients)) {
    parts.push_back(gradient ? gradient : b.constant(result, 0.0));
  }
  operandGradients[0] = b.create<ConcatOp>(parts, getAxis());
  return success();
}

void ConcatOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange operands, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(operands[0]));
  for (Value operand : operands.drop_front()) {
    shape[axis] = addSizes(shape[axis], shapeOf(operand)[axis]);
  }
  build(builder, state,
        RankedTensorType::get(shape, elementTypeOf(operands[0])), operands,
        axis);
}

LogicalResult ConcatOp::verify() {
  // concat_c1
  if (getOperands().empty()) {
    return emitOpError("expected one operand or more, got none");
  }
  if (failed(
          verifyAxis(*this, "axis", getAxis(), shapeOf(getResult()).size()))) {
    return failure();
  }
  // concat_c2
  return verifyParts(*this, getResult(), "result", getOperands(), "operands",
                     getAxis());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  bool isCopy =
      getOperands().size() == 1 && getOperands()[0].getType() == getType();
  return isCopy ? getOperands()[0] : Value();
}

LogicalResult ConcatOp::buildGradient(OpBuilder &builder,
                                      ValueRange resultGradients,
                                      MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  SmallVector<int64_t> sizes;
  for (Value operand : getOperands()) {
    sizes.push_back(shapeOf(operand)[getAxis()]);
  }
  auto parts = SplitOp::create(builder, getLoc(), gradient, getAxis(), sizes);
  llvm::copy(parts.getResults(), operandGradients.begin());
  return success();
}
