// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several optimizers compute with.
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

using namespace mlir;
using namespace accel;

Value SegmentBuilder::sign(Value operand) {
  auto number = [&](double value) -> Value {
    return ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(type, builder.getF32FloatAttr(value)));
  };
  auto bools = RankedTensorType::get(type.getShape(), builder.getI1Type());
  auto compare = [&](ComparePredicate predicate, Value with) -> Value {
    return CompareOp::create(builder, loc, bools, predicate, operand, with);
  };
  Value zero = number(0);
  Value negative =
      SelectOp::create(builder, loc, type, compare(ComparePredicate::LT, zero),
                       number(-1), operand);
  return SelectOp::create(builder, loc, type,
                          compare(ComparePredicate::GT, zero), number(1),
                          negative);
}

Value accel::roundToF32(ScalarBuilder &scalars, Value value) {
  auto type = RankedTensorType::get({}, scalars.getBuilder().getF32Type());
  return CastOp::create(scalars.getBuilder(), scalars.getLoc(), type, value);
}

Value accel::advancePower(ScalarBuilder &scalars, StringRef power, Value base) {
  Value next = scalars.mul(scalars.read(power), base);
  scalars.write(power, next);
  return next;
}
