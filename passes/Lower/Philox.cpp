// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys and rounds of Philox4x32-10.
#include "passes/Lower/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace accel;

static Value word(OpBuilder &builder, Location loc, uint32_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

PhiloxKeys accel::emitPhiloxKeys(OpBuilder &builder, Location loc, Value seed,
                                 Value site) {
  Type i32 = builder.getI32Type();
  Value half =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(builder, loc, i32, seed);
  Value high = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, seed, half));
  Value folded = arith::XOrIOp::create(builder, loc, low, high);
  PhiloxKeys keys;
  for (uint32_t round = 0; round < kPhiloxRounds; ++round) {
    Value step = word(builder, loc, round * 0x9E3779B9u);
    keys[round][0] = arith::AddIOp::create(builder, loc, folded, step);
    keys[round][1] = arith::AddIOp::create(
        builder, loc, site, word(builder, loc, round * 0xBB67AE85u));
  }
  return keys;
}

/// High and low half of a 64-bit product.
static std::pair<Value, Value> multiply(OpBuilder &builder, Location loc,
                                        uint32_t factor, Value operand) {
  Type i64 = builder.getI64Type();
  Type i32 = builder.getI32Type();
  Value wide = arith::ExtUIOp::create(builder, loc, i64, operand);
  Value constant = arith::ConstantOp::create(builder, loc,
                                             builder.getI64IntegerAttr(factor));
  Value product = arith::MulIOp::create(builder, loc, wide, constant);
  Value half =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value high = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, product, half));
  return {high, arith::TruncIOp::create(builder, loc, i32, product)};
}

std::array<Value, 4> accel::emitPhiloxBlock(OpBuilder &builder, Location loc,
                                            const PhiloxKeys &keys,
                                            std::array<Value, 4> counter) {
  auto mix = [&](Value a, Value b, Value c) -> Value {
    return arith::XOrIOp::create(builder, loc,
                                 arith::XOrIOp::create(builder, loc, a, b), c);
  };
  for (const std::array<Value, 2> &key : keys) {
    auto [high0, low0] = multiply(builder, loc, 0xD2511F53, counter[0]);
    auto [high1, low1] = multiply(builder, loc, 0xCD9E8D57, counter[2]);
    counter = {mix(high1, counter[1], key[0]), low1,
               mix(high0, counter[3], key[1]), low0};
  }
  return counter;
}
