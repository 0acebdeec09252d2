// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys and rounds of Philox4x32-10.
#include "passes/Lower/Philox.h"

#include "passes/Lower/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace accel;

static constexpr std::array<uint32_t, 2> kMultipliers = {0xD2511F53,
                                                         0xCD9E8D57};
/// What the key words grow by from round to round.
static constexpr std::array<uint32_t, 2> kKeySteps = {0x9E3779B9, 0xBB67AE85};

static Value word(OpBuilder &builder, Location loc, uint32_t value) {
  return emitNumber(builder, loc, builder.getI32Type(),
                    static_cast<int32_t>(value));
}

PhiloxKeys accel::emitPhiloxKeys(OpBuilder &builder, Location loc, Value seed,
                                 Value site) {
  Type i32 = builder.getI32Type();
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  Value low = arith::TruncIOp::create(builder, loc, i32, seed);
  Value high = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, seed, half));
  Value folded = arith::XOrIOp::create(builder, loc, low, high);
  PhiloxKeys keys;
  for (uint32_t round = 0; round < kPhiloxRounds; ++round) {
    Value step = word(builder, loc, round * kKeySteps[0]);
    keys[round][0] = arith::AddIOp::create(builder, loc, folded, step);
    keys[round][1] = arith::AddIOp::create(
        builder, loc, site, word(builder, loc, round * kKeySteps[1]));
  }
  return keys;
}

/// High and low half of a 64-bit product.
static std::pair<Value, Value> multiply(OpBuilder &builder, Location loc,
                                        uint32_t factor, Value operand) {
  Type i64 = builder.getI64Type();
  Type i32 = builder.getI32Type();
  Value wide = arith::ExtUIOp::create(builder, loc, i64, operand);
  Value constant = emitNumber(builder, loc, i64, factor);
  Value product = arith::MulIOp::create(builder, loc, wide, constant);
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  Value high = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, product, half));
  return {high, arith::TruncIOp::create(builder, loc, i32, product)};
}

/// `multiply(factor, word)` gives the high and the low half of the product;
/// `keysOf(round)` is asked in order.
static std::array<Value, 4> emitRounds(
    OpBuilder &builder, Location loc, std::array<Value, 4> counter,
    llvm::function_ref<std::pair<Value, Value>(uint32_t, Value)> multiply,
    llvm::function_ref<std::array<Value, 2>(unsigned)> keysOf) {
  auto mix = [&](Value a, Value b, Value c) -> Value {
    return arith::XOrIOp::create(builder, loc,
                                 arith::XOrIOp::create(builder, loc, a, b), c);
  };
  for (unsigned round = 0; round < kPhiloxRounds; ++round) {
    std::array<Value, 2> key = keysOf(round);
    auto [high0, low0] = multiply(kMultipliers[0], counter[0]);
    auto [high1, low1] = multiply(kMultipliers[1], counter[2]);
    counter = {mix(high1, counter[1], key[0]), low1,
               mix(high0, counter[3], key[1]), low0};
  }
  return counter;
}

std::array<Value, 4> accel::emitPhiloxBlock(OpBuilder &builder, Location loc,
                                            const PhiloxKeys &keys,
                                            std::array<Value, 4> counter) {
  return emitRounds(
      builder, loc, counter,
      [&](uint32_t factor, Value word) {
        return multiply(builder, loc, factor, word);
      },
      [&](unsigned round) { return keys[round]; });
}

std::array<Value, 4> accel::emitPhiloxLanes(OpBuilder &builder, Location loc,
                                            Value seed, Value site,
                                            std::array<Value, 4> counter) {
  Type type = seed.getType();
  auto lanes = dyn_cast<VectorType>(type);
  auto number = [&](uint32_t word) {
    return emitNumber(builder, loc, type, word);
  };
  auto multiply = [&](uint32_t factor, Value word) -> std::pair<Value, Value> {
    Value low = arith::AndIOp::create(builder, loc, word, number(0xFFFFFFFF));
    Value product = arith::MulIOp::create(builder, loc, low, number(factor));
    return {arith::ShRUIOp::create(builder, loc, product, number(32)), product};
  };
  std::array<Value, 2> key = {seed, site};
  auto keysOf = [&](unsigned round) {
    for (auto [word, step] : llvm::zip_equal(key, kKeySteps)) {
      word = round == 0
                 ? word
                 : arith::AddIOp::create(builder, loc, word, number(step));
    }
    return key;
  };
  counter = emitRounds(builder, loc, counter, multiply, keysOf);
  for (Value &word : counter) {
    Type i32 = builder.getI32Type();
    word = arith::TruncIOp::create(builder, loc, lanes ? lanes.clone(i32) : i32,
                                   word);
  }
  return counter;
}

std::optional<uint32_t> accel::getLeastKeptWord(double probability) {
  auto threshold =
      static_cast<uint64_t>(std::llround(std::ldexp(probability, 32)));
  if (threshold > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(threshold);
}
