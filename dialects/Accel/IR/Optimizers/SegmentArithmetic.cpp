// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several optimizers compute with.
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

using namespace mlir;
using namespace accel;

Value SegmentBuilder::number(ArrayRef<int64_t> shape, double value) {
  auto numbers = RankedTensorType::get(shape, builder.getF32Type());
  return ConstantOp::create(
      builder, loc, numbers,
      DenseElementsAttr::get(numbers, builder.getF32FloatAttr(value)));
}

Value SegmentBuilder::repeatBlocks(Value value, int64_t block) {
  int64_t blocks = segment.elements / block;
  auto matrix = RankedTensorType::get({blocks, block}, builder.getF32Type());
  Value repeated =
      BroadcastOp::create(builder, loc, matrix, value, ArrayRef<int64_t>{0});
  return ReshapeOp::create(builder, loc, type, repeated);
}

Value SegmentBuilder::read(const BlockCode &slots) {
  auto byte = IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned);
  Value bytes = ReadOp::create(builder, loc, type.clone(byte),
                               segment.getSlot(slots.codes));
  auto perBlock = RankedTensorType::get({segment.elements / slots.block},
                                        builder.getF32Type());
  Value scale =
      ReadOp::create(builder, loc, perBlock, segment.getSlot(slots.scales));
  Value numbers = DequantizeOp::create(builder, loc, type, slots.code, bytes);
  return mul(numbers, repeatBlocks(scale, slots.block));
}

void SegmentBuilder::write(const BlockCode &slots, Value value) {
  int64_t blocks = segment.elements / slots.block;
  Value magnitudes = AbsOp::create(builder, loc, value);
  Value matrix = ReshapeOp::create(
      builder, loc,
      RankedTensorType::get({blocks, slots.block}, builder.getF32Type()),
      magnitudes);
  Value scale = ReduceMaxOp::create(
      builder, loc, RankedTensorType::get({blocks}, builder.getF32Type()),
      matrix, ArrayRef<int64_t>{1});
  // A block of zeros has no largest magnitude to divide by.
  Value zero = number({blocks}, 0);
  auto bools = RankedTensorType::get({blocks}, builder.getI1Type());
  Value isZero =
      CompareOp::create(builder, loc, bools, ComparePredicate::EQ, scale, zero);
  Value inverse = SelectOp::create(builder, loc, scale.getType(), isZero, zero,
                                   div(number({blocks}, 1), scale));
  Value bytes = QuantizeOp::create(
      builder, loc, slots.code, mul(value, repeatBlocks(inverse, slots.block)));
  write(slots.codes, bytes);
  write(slots.scales, scale);
}

Value SegmentBuilder::sign(Value operand) {
  auto bools = RankedTensorType::get(type.getShape(), builder.getI1Type());
  auto compare = [&](ComparePredicate predicate, Value with) -> Value {
    return CompareOp::create(builder, loc, bools, predicate, operand, with);
  };
  Value zero = number(type.getShape(), 0);
  Value negative =
      SelectOp::create(builder, loc, type, compare(ComparePredicate::LT, zero),
                       number(type.getShape(), -1), operand);
  return SelectOp::create(builder, loc, type,
                          compare(ComparePredicate::GT, zero),
                          number(type.getShape(), 1), negative);
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
