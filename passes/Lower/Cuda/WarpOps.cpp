// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of PTX for warps, by their names in MLIR.
#include "passes/Lower/Cuda/WarpOps.h"

#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace accel;

Value WarpOps::word(int64_t value) const {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value WarpOps::threadIndex() const {
  Value thread = NVVM::LaneIdOp::create(builder, loc, builder.getI32Type());
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      thread);
}

Value WarpOps::isFirst() const {
  IndexArithmetic indices(builder, loc);
  return indices.isEqual(threadIndex(), indices.index(0));
}

void WarpOps::synchronize() const {
  NVVM::SyncWarpOp::create(builder, loc, word(-1));
}

Value WarpOps::ballot(Value condition) const {
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI32Type(), word(-1),
                                  condition, NVVM::VoteSyncKind::ballot);
}

Value WarpOps::shuffle(Value value, Value which, NVVM::ShflKind kind) const {
  // The last operand: no segments, all 32 threads.
  return NVVM::ShflOp::create(builder, loc, value.getType(), word(-1), value,
                              which, word(kWarpThreads - 1), kind,
                              /*returnValueAndIsValid=*/{});
}

Value WarpOps::exchangeWord(Value value, int64_t distance) const {
  return shuffle(value, word(distance), NVVM::ShflKind::bfly);
}

Value WarpOps::readFrom(Value value, Value thread) const {
  Value place =
      arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(), thread);
  return shuffle(value, place, NVVM::ShflKind::idx);
}

Value WarpOps::exchange(Value value, int64_t distance) const {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type i32 = builder.getI32Type();
  if (type.isF32() || type == i32) {
    return exchangeWord(value, distance);
  }
  auto integer = builder.getIntegerType(width);
  Value bits = type == integer
                   ? value
                   : arith::BitcastOp::create(builder, loc, integer, value);
  if (width < 32) {
    Value wide = arith::ExtUIOp::create(builder, loc, i32, bits);
    bits = arith::TruncIOp::create(builder, loc, integer,
                                   exchangeWord(wide, distance));
  } else {
    Value half =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
    Value low = arith::TruncIOp::create(builder, loc, i32, bits);
    Value high = arith::TruncIOp::create(
        builder, loc, i32, arith::ShRUIOp::create(builder, loc, bits, half));
    low = arith::ExtUIOp::create(builder, loc, integer,
                                 exchangeWord(low, distance));
    high = arith::ExtUIOp::create(builder, loc, integer,
                                  exchangeWord(high, distance));
    bits = arith::OrIOp::create(
        builder, loc, low, arith::ShLIOp::create(builder, loc, high, half));
  }
  return type == integer ? bits
                         : arith::BitcastOp::create(builder, loc, type, bits);
}
