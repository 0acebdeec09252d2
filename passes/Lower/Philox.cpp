// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys and rounds of Philox4x32-10.
#include "passes/Lower/Philox.h"

#include "passes/Lower/Arithmetic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace accel;

static constexpr std::array<uint32_t, 2> kMultipliers = {0xD2511F53,
                                                         0xCD9E8D57};
/// What the key words grow by from round to round.
static constexpr std::array<uint32_t, 2> kKeySteps = {0x9E3779B9, 0xBB67AE85};

/// The high half of an i64, as an i32.
static Value getHighHalf(OpBuilder &builder, Location loc, Value value) {
  Arithmetic wide(builder, loc, builder.getI64Type());
  return Arithmetic(builder, loc, builder.getI32Type())
      .truncate(wide.shiftRightLogical(value, 32));
}

PhiloxKeys accel::emitPhiloxKeys(OpBuilder &builder, Location loc, Value seed,
                                 Value site) {
  Arithmetic words(builder, loc, builder.getI32Type());
  Value low = words.truncate(seed);
  Value folded = words.xorBits(low, getHighHalf(builder, loc, seed));
  PhiloxKeys keys;
  for (uint32_t round = 0; round < kPhiloxRounds; ++round) {
    auto step = [&](unsigned word) {
      return words.integer(static_cast<int32_t>(round * kKeySteps[word]));
    };
    keys[round][0] = words.add(folded, step(0));
    keys[round][1] = words.add(site, step(1));
  }
  return keys;
}

/// High and low half of a 64-bit product.
static std::pair<Value, Value> multiply(OpBuilder &builder, Location loc,
                                        uint32_t factor, Value operand) {
  Arithmetic wide(builder, loc, builder.getI64Type());
  Value product = wide.mul(wide.zeroExtend(operand), wide.integer(factor));
  Value high = getHighHalf(builder, loc, product);
  return {high,
          Arithmetic(builder, loc, builder.getI32Type()).truncate(product)};
}

/// `multiply(factor, word)` gives the high and the low half of the product;
/// `keysOf(round)` is asked in order.
static std::array<Value, 4> emitRounds(
    const Arithmetic &m, std::array<Value, 4> counter,
    llvm::function_ref<std::pair<Value, Value>(uint32_t, Value)> multiply,
    llvm::function_ref<std::array<Value, 2>(unsigned)> keysOf) {
  auto mix = [&](Value a, Value b, Value c) {
    return m.xorBits(m.xorBits(a, b), c);
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
      Arithmetic(builder, loc, builder.getI32Type()), counter,
      [&](uint32_t factor, Value word) {
        return multiply(builder, loc, factor, word);
      },
      [&](unsigned round) { return keys[round]; });
}

std::array<Value, 4> accel::emitPhiloxLanes(OpBuilder &builder, Location loc,
                                            Value seed, Value site,
                                            std::array<Value, 4> counter) {
  Arithmetic m(builder, loc, seed.getType());
  auto multiply = [&](uint32_t factor, Value word) -> std::pair<Value, Value> {
    Value low = m.andBits(word, m.integer(0xFFFFFFFF));
    Value product = m.mul(low, m.integer(factor));
    return {m.shiftRightLogical(product, 32), product};
  };
  std::array<Value, 2> key = {seed, site};
  auto keysOf = [&](unsigned round) {
    for (auto [word, step] : llvm::zip_equal(key, kKeySteps)) {
      word = round == 0 ? word : m.add(word, m.integer(step));
    }
    return key;
  };
  counter = emitRounds(m, counter, multiply, keysOf);
  for (Value &word : counter) {
    word = m.of(builder.getI32Type()).truncate(word);
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
