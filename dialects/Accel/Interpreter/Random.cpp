// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random words, and what dropout and initial values make of them.
#include "dialects/Accel/Interpreter/OpFamilies.h"
#include "dialects/Accel/Interpreter/Philox.h"
#include "dialects/Accel/Interpreter/RandomNormal.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace accel {

PhiloxWords philox(std::array<uint32_t, 2> key, PhiloxWords counter) {
  auto multiply = [](uint64_t factor, uint32_t word) {
    uint64_t product = factor * word;
    return std::pair(static_cast<uint32_t>(product >> 32),
                     static_cast<uint32_t>(product));
  };
  for (uint32_t round = 0; round < 10; ++round) {
    auto [high0, low0] = multiply(0xD2511F53, counter[0]);
    auto [high1, low1] = multiply(0xCD9E8D57, counter[2]);
    uint32_t key0 = key[0] + round * 0x9E3779B9;
    uint32_t key1 = key[1] + round * 0xBB67AE85;
    counter = {high1 ^ counter[1] ^ key0, low1, high0 ^ counter[3] ^ key1,
               low0};
  }
  return counter;
}

PhiloxWords getPhiloxBlock(int64_t seed, int64_t site, int64_t sample,
                           uint64_t block) {
  auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
  auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32); };
  return philox({low(seed) ^ high(seed), low(site)},
                {low(block), high(block), low(sample), high(sample)});
}

uint64_t getDropoutThreshold(double probability) {
  return static_cast<uint64_t>(std::llround(std::ldexp(probability, 32)));
}

HostTensor makeRandomNormal(RankedTensorType type, int64_t seed, int64_t site,
                            double mean, double deviation) {
  HostTensor result(type);
  for (auto [element, out] : llvm::enumerate(result.mutableFloats())) {
    PhiloxWords words = getPhiloxBlock(seed, site, 0, element / 2);
    size_t pair = 2 * (element % 2);
    // u1 lies in (0, 1], so that its logarithm is finite; u2 in [0, 1).
    double u1 = std::ldexp(words[pair] + 1.0, -32);
    double u2 = std::ldexp(words[pair + 1], -32);
    out = mean + deviation * std::sqrt(-2.0 * std::log(u1)) *
                     std::cos(2.0 * std::numbers::pi * u2);
  }
  return result;
}

namespace {

/// The site of a random operation: its number plus the offset, if it has one.
template <typename OpTy> int64_t getSiteOf(OpTy op, OperandsOf<OpTy> operands) {
  if (!op.getSiteOffset()) {
    return op.getSite();
  }
  return op.getSite() + HostTensor(operands.getSiteOffset()).integers()[0];
}

/// The factor with mean 1 of element `element` of a block of words.
double getRandomFactor(RandomFactor kind, const PhiloxWords &words,
                       int64_t element) {
  if (kind == RandomFactor::Uniform) {
    return std::ldexp(static_cast<double>(words[element] >> 8), -23);
  }
  size_t pair = element < 2 ? 0 : 2;
  double u1 = std::ldexp(words[pair] + 1.0, -32);
  double angle = 2.0 * std::numbers::pi * std::ldexp(words[pair + 1], -32);
  double radius = std::sqrt(-2.0 * std::log(u1));
  return 1.0 + radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

Evaluation evaluateDropout(DropoutOp op, OperandsOf<DropoutOp> operands) {
  HostTensor operand = operands.getOperand();
  HostTensor samples = operands.getSamples();
  HostTensor result(op.getType());
  int64_t seed = HostTensor(operands.getSeed()).integers()[0];
  int64_t site = getSiteOf(op, operands);
  double probability = op.getProbability().convertToDouble();
  uint64_t threshold = getDropoutThreshold(probability);
  int64_t count = samples.getNumElements();
  int64_t perSample = count == 0 ? 0 : operand.getNumElements() / count;
  MutableArrayRef<double> out = result.mutableFloats();
  PhiloxWords words = {};
  for (int64_t i = 0; i < count * perSample; ++i) {
    int64_t element = i % perSample;
    if (element % 4 == 0) {
      words = getPhiloxBlock(seed, site, samples.integers()[i / perSample],
                             element / 4);
    }
    if (op.getFactor()) {
      out[i] = operand.floats()[i] *
               getRandomFactor(*op.getFactor(), words, element % 4);
      continue;
    }
    out[i] = words[element % 4] >= threshold
                 ? operand.floats()[i] / (1.0 - probability)
                 : 0.0;
  }
  return HostTensors{result};
}

Evaluation evaluateRandomNormal(RandomNormalOp op,
                                OperandsOf<RandomNormalOp> operands) {
  int64_t seed = HostTensor(operands.getSeed()).integers()[0];
  return HostTensors{makeRandomNormal(
      op.getType(), seed, getSiteOf(op, operands),
      op.getMean().convertToDouble(), op.getDeviation().convertToDouble())};
}

} // namespace

Evaluation evaluateRandom(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](DropoutOp dropout) {
        return evaluateDropout(dropout, {operands, dropout});
      })
      .Case([&](RandomNormalOp normal) {
        return evaluateRandomNormal(normal, {operands, normal});
      })
      .Default(Evaluation());
}

} // namespace accel
