// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A select keeps the bits of what it chooses, and needs no copy of the state.
#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"

#include <limits>

using namespace mlir;
using namespace accel;

Value UpdateBuilder::choose(Value value, Value old) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  Value condition = isFinite;
  if (type.getRank() != 0) {
    condition = repeat(isFinite, type.clone(builder.getI1Type()));
  }
  return select(condition, value, old);
}

Value UpdateBuilder::write(StringRef name, Value value, Value old) {
  Value chosen = choose(value, old);
  WriteOp::create(builder, loc, name, chosen);
  return chosen;
}

void UpdateBuilder::writeCodes(StringRef name, ByteCode code, Value numbers,
                               Value oldNumbers) {
  Value codes = create<QuantizeOp>(code, choose(numbers, oldNumbers));
  WriteOp::create(builder, loc, name, codes);
}

Value UpdateBuilder::advancePower(StringRef power, Value base) {
  Value old = read(power);
  Value next = mul(old, base);
  write(power, next, old);
  return next;
}

Value accel::buildIsFinite(ScalarBuilder &scalars, ArrayRef<Value> numbers) {
  Value all;
  for (Value number : numbers) {
    // Comparisons with NaN are false.
    Value isFinite =
        scalars.compare(ComparePredicate::LE, scalars.abs(number),
                        scalars.number(std::numeric_limits<double>::max()));
    all = all ? scalars.create<AndOp>(all, isFinite) : isFinite;
  }
  return all;
}
