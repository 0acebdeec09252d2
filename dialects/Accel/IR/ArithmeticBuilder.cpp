// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, casts and changes of shape.
#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace accel {

Value ArithmeticBuilder::constant(Type type, double number) {
  auto tensor = mlir::cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute value =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(element, number))
          : builder.getIntegerAttr(element, static_cast<int64_t>(number));
  return create<ConstantOp>(
      mlir::cast<ElementsAttr>(DenseElementsAttr::get(tensor, value)));
}

Value ArithmeticBuilder::isClass(Value labels, int64_t classes) {
  Value notBelow = compare(ComparePredicate::GE, labels, 0.0);
  Value notAbove =
      compare(ComparePredicate::LT, labels, static_cast<double>(classes));
  return create<AndOp>(notBelow, notAbove);
}

Value ArithmeticBuilder::cast(Value operand, Type element) {
  return elementTypeOf(operand) == element ? operand
                                           : create<CastOp>(operand, element);
}

Value ArithmeticBuilder::reshape(Value operand, ArrayRef<int64_t> shape) {
  return shapeOf(operand) == shape ? operand
                                   : create<ReshapeOp>(operand, shape);
}

Value ArithmeticBuilder::reshapeLike(Value operand, Value like) {
  return reshape(operand, shapeOf(like));
}

Value ArithmeticBuilder::sum(Value operand, ArrayRef<int64_t> axes) {
  return axes.empty() ? operand : create<ReduceSumOp>(operand, axes);
}

Value ArithmeticBuilder::spread(Value reduced, Value like,
                                ArrayRef<int64_t> axes) {
  return create<BroadcastOp>(like.getType(), reduced,
                             otherAxes(shapeOf(like).size(), axes));
}

SmallVector<int64_t> axisRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

SmallVector<int64_t> axisLast(int64_t rank, int64_t axis) {
  SmallVector<int64_t> order = otherAxes(rank, {axis});
  order.push_back(axis);
  return order;
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

} // namespace accel
