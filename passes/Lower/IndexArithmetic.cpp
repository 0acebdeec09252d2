// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation for every method, or what it folds to.
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace accel;

Value IndexArithmetic::index(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexArithmetic::add(Value a, Value b) const {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value IndexArithmetic::sub(Value a, Value b) const {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value IndexArithmetic::mul(Value a, Value b) const {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value IndexArithmetic::div(Value a, Value b) const {
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}

Value IndexArithmetic::rem(Value a, Value b) const {
  return builder.createOrFold<arith::RemUIOp>(loc, a, b);
}

Value IndexArithmetic::min(Value a, Value b) const {
  return builder.createOrFold<arith::MinUIOp>(loc, a, b);
}

Value IndexArithmetic::max(Value a, Value b) const {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value IndexArithmetic::isEqual(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                             b);
}

Value IndexArithmetic::isLess(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}

Value IndexArithmetic::isBelow(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, a,
                                             b);
}

Value IndexArithmetic::select(Value condition, Value a, Value b) const {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Value IndexArithmetic::constantTrue() const {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
}

Value IndexArithmetic::both(Value a, Value b) const {
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value IndexArithmetic::isNot(Value a) const {
  return builder.createOrFold<arith::XOrIOp>(loc, a, constantTrue());
}

Value IndexArithmetic::cast(Value a, Type type) const {
  return arith::IndexCastOp::create(builder, loc, type, a);
}
