// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several optimizers compute with.
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

#include "dialects/Accel/IR/Fp8Scale.h"

using namespace mlir;
using namespace accel;

Value SegmentBuilder::readSlot(SlotAttr slot, Type slotType) {
  Value value = create<ReadOp>(slotType, segment.segment.getSlotName(slot));
  old[slot] = value;
  return value;
}

Value SegmentBuilder::writeSlot(SlotAttr slot, Value value) {
  return scalars.write(segment.segment.getSlotName(slot), value, old.at(slot));
}

void SegmentBuilder::write(SlotRole role, Value value) {
  Value written = writeSlot(getSlot(role), value);
  bool isRounded = role == SlotRole::Master && segment.compute &&
                   !isFp8(segment.compute); // that waits for the scales
  if (isRounded) {
    WriteOp::create(builder, loc,
                    segment.segment.getSlotName(getSlot(SlotRole::Compute)),
                    cast(written, segment.compute));
  }
}

Value SegmentBuilder::repeatBlocks(Value value, int64_t block) {
  Value repeated =
      create<BroadcastOp>(type.clone({segment.elements / block, block}), value,
                          ArrayRef<int64_t>{0});
  return reshape(repeated, type.getShape());
}

Value SegmentBuilder::read(const BlockCode &slots) {
  auto byte = IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned);
  Value bytes = readSlot(getSlot(slots.codes), type.clone(byte));
  Value scale = readSlot(getSlot(slots.scales),
                         type.clone({segment.elements / slots.block}));
  Value numbers = create<DequantizeOp>(type, slots.code, bytes);
  old[getSlot(slots.codes)] = numbers;
  return mul(numbers, repeatBlocks(scale, slots.block));
}

void SegmentBuilder::write(const BlockCode &slots, Value value) {
  int64_t blocks = segment.elements / slots.block;
  Value matrix = reshape(abs(value), {blocks, slots.block});
  Value scale =
      create<ReduceMaxOp>(type.clone({blocks}), matrix, ArrayRef<int64_t>{1});
  // A block of zeros has no largest magnitude to divide by.
  Value zero = constant(scale, 0.0);
  Value isZero = compare(ComparePredicate::EQ, scale, zero);
  Value inverse = select(isZero, zero, div(constant(scale, 1.0), scale));
  SlotAttr codes = getSlot(slots.codes);
  scalars.writeCodes(segment.segment.getSlotName(codes), slots.code,
                     mul(value, repeatBlocks(inverse, slots.block)),
                     old.at(codes));
  write(slots.scales, scale);
}

Value SegmentBuilder::sign(Value operand) {
  Value zero = constant(operand, 0.0);
  Value negative = select(compare(ComparePredicate::LT, operand, zero),
                          constant(operand, -1.0), operand);
  return select(compare(ComparePredicate::GT, operand, zero),
                constant(operand, 1.0), negative);
}

Value accel::roundToF32(ScalarBuilder &scalars, Value value) {
  return scalars.cast(value, scalars.getBuilder().getF32Type());
}
