// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gradient rules are written with.
#include "dialects/Accel/IR/GradientBuilder.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace accel {

Value GradientBuilder::add(Value lhs, Value rhs) {
  return create<AddOp>(lhs, rhs);
}
Value GradientBuilder::sub(Value lhs, Value rhs) {
  return create<SubOp>(lhs, rhs);
}
Value GradientBuilder::mul(Value lhs, Value rhs) {
  return create<MulOp>(lhs, rhs);
}
Value GradientBuilder::div(Value lhs, Value rhs) {
  return create<DivOp>(lhs, rhs);
}
Value GradientBuilder::neg(Value operand) { return create<NegOp>(operand); }
Value GradientBuilder::exp(Value operand) { return create<ExpOp>(operand); }

Value GradientBuilder::select(Value condition, Value onTrue, Value onFalse) {
  return create<SelectOp>(condition, onTrue, onFalse);
}

Value GradientBuilder::compare(ComparePredicate predicate, Value lhs,
                               Value rhs) {
  return create<CompareOp>(predicate, lhs, rhs);
}

Value GradientBuilder::add(Value lhs, double rhs) {
  return add(lhs, constant(lhs, rhs));
}
Value GradientBuilder::mul(Value lhs, double rhs) {
  return mul(lhs, constant(lhs, rhs));
}
Value GradientBuilder::compare(ComparePredicate predicate, Value lhs,
                               double rhs) {
  return compare(predicate, lhs, constant(lhs, rhs));
}

Value GradientBuilder::constant(Value like, double number) {
  return constant(like.getType(), number);
}

Value GradientBuilder::constant(Type type, double number) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute value =
      isa<FloatType>(element)
          ? cast<Attribute>(builder.getFloatAttr(element, number))
          : builder.getIntegerAttr(element, static_cast<int64_t>(number));
  return create<ConstantOp>(
      cast<ElementsAttr>(DenseElementsAttr::get(tensor, value)));
}

Value GradientBuilder::keepWhere(Value condition, Value value) {
  return select(condition, value, constant(value, 0.0));
}

Value GradientBuilder::sum(Value operand, ArrayRef<int64_t> axes) {
  return axes.empty() ? operand : create<ReduceSumOp>(operand, axes);
}

Value GradientBuilder::spread(Value reduced, Value like,
                              ArrayRef<int64_t> axes) {
  return create<BroadcastOp>(like.getType(), reduced,
                             otherAxes(shapeOf(like).size(), axes));
}

Value GradientBuilder::reshapeLike(Value operand, Value like) {
  return operand.getType() == like.getType()
             ? operand
             : create<ReshapeOp>(operand, shapeOf(like));
}

Value GradientBuilder::sumToOperand(Value gradient, Value operand,
                                    ArrayRef<int64_t> dimensions) {
  ArrayRef<int64_t> wide = shapeOf(gradient);
  SmallVector<int64_t> axes = otherAxes(wide.size(), dimensions);
  for (auto [size, dimension] : llvm::zip_equal(shapeOf(operand), dimensions)) {
    if (size == 1 && wide[dimension] != 1) {
      axes.push_back(dimension);
    }
  }
  llvm::sort(axes);
  return reshapeLike(sum(gradient, axes), operand);
}

SmallVector<int64_t> axisRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

SmallVector<int64_t> otherAxes(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> others;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!llvm::is_contained(axes, axis)) {
      others.push_back(axis);
    }
  }
  return others;
}

bool isFloatTensor(Value value) { return isa<FloatType>(elementTypeOf(value)); }

LogicalResult refuseGradientOf(Operation *op, StringRef name, Value gradient,
                               StringRef differentiable) {
  if (!gradient) {
    return success();
  }
  return op->emitOpError() << "expected a gradient of `" << differentiable
                           << "` only, got one of `" << name
                           << "`: make the objective depend on `"
                           << differentiable << "` alone";
}

} // namespace accel
