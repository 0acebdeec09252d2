// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion for every pair of types.
#include "passes/Lower/Conversions.h"

#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Lower/SmallFloatCasts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace accel;

static Value castToBool(OpBuilder &builder, Location loc, Value value) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  if (isa<FloatType>(value.getType())) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

static Value castFloat(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    return arith::FPToSIOp::create(builder, loc, type, value);
  }
  if (floatType.getWidth() > cast<FloatType>(value.getType()).getWidth()) {
    return arith::ExtFOp::create(builder, loc, type, value);
  }
  return arith::TruncFOp::create(builder, loc, type, value);
}

static Value castInteger(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  bool isBool = value.getType().isInteger(1);
  if (isa<FloatType>(type)) {
    return isBool ? Value(arith::UIToFPOp::create(builder, loc, type, value))
                  : Value(arith::SIToFPOp::create(builder, loc, type, value));
  }
  if (type.getIntOrFloatBitWidth() < value.getType().getIntOrFloatBitWidth()) {
    return arith::TruncIOp::create(builder, loc, type, value);
  }
  return isBool ? Value(arith::ExtUIOp::create(builder, loc, type, value))
                : Value(arith::ExtSIOp::create(builder, loc, type, value));
}

Value accel::emitCast(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (value.getType() == type) {
    return value;
  }
  if (type.isInteger(1)) {
    return castToBool(builder, loc, value);
  }
  return isa<FloatType>(value.getType())
             ? castFloat(builder, loc, value, type)
             : castInteger(builder, loc, value, type);
}

Value accel::emitElementCast(OpBuilder &builder, Location loc, Value element,
                             Type from, Type to, bool saturates) {
  if (from == to && !saturates) {
    return element;
  }
  if (const SmallFloat *wide = SmallFloat::get(from)) {
    element = emitWidened(builder, loc, *wide, element);
  }
  const SmallFloat *narrow = SmallFloat::get(to);
  Type result = narrow ? builder.getF32Type() : to;
  element = emitCast(builder, loc, element, result);
  return narrow ? emitNarrowed(builder, loc, *narrow, element, saturates)
                : element;
}

Value accel::emitIndexAs(OpBuilder &builder, Location loc, Value index,
                         Type type) {
  Type integer =
      isa<FloatType>(type) || type.isInteger(1) ? builder.getI64Type() : type;
  return emitCast(builder, loc,
                  arith::IndexCastOp::create(builder, loc, integer, index),
                  type);
}

Value accel::fromStorage(OpBuilder &builder, Location loc, Value stored,
                         Type element) {
  if (stored.getType() == element || element.isUnsignedInteger(8) ||
      SmallFloat::get(element)) {
    return stored;
  }
  return emitCast(builder, loc, stored, element);
}

Value accel::toStorage(OpBuilder &builder, Location loc, Value element) {
  if (!element.getType().isInteger(1)) {
    return element;
  }
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), element);
}
