// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AdamW as PyTorch defines it (Loshchilov and Hutter 2019).
#include "dialects/Accel/IR/Optimizers/AdamW.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace accel;

void AdamWArithmetic::buildScalars(UpdateBuilder &s,
                                   ArrayRef<SegmentRates> rates,
                                   Value gradientFactor) {
  Value one = s.number(1);
  Value first = s.read("beta1");
  Value second = s.read("beta2");
  Value correction1 = s.sub(one, s.advancePower("beta1_power", first));
  Value correction2 = s.sub(one, s.advancePower("beta2_power", second));
  factor = roundToF32(s, gradientFactor);
  keep = roundEach(s, rates, [&](const SegmentRates &each) {
    return s.sub(one, s.mul(each.rate, each.getDecay(s)));
  });
  towardsGradient = roundToF32(s, s.sub(one, first));
  beta2 = roundToF32(s, second);
  towardsSquare = roundToF32(s, s.sub(one, second));
  rootFactor = roundToF32(s, s.div(one, s.sqrt(correction2)));
  epsilon = roundToF32(s, s.read("eps"));
  stepSize = roundEach(s, rates, [&](const SegmentRates &each) {
    return s.div(each.rate, correction1);
  });
}

void AdamWArithmetic::buildUpdate(UpdateBuilder &scalars,
                                  const TrainedSegment &segment) {
  SegmentBuilder b(scalars, segment);
  Value p = b.read(SlotRole::Master);
  Value g = b.mul(b.read(SlotRole::Gradient), b.repeat(factor));
  auto [m, v] = readMoments(b);
  m = b.add(m, b.mul(b.sub(g, m), b.repeat(towardsGradient)));
  v = b.add(b.mul(v, b.repeat(beta2)),
            b.mul(b.mul(g, g), b.repeat(towardsSquare)));
  if (segment.isDecayed()) {
    p = b.mul(p, b.repeat(keep[segment.rates]));
  }
  Value denominator =
      b.add(b.mul(b.sqrt(v), b.repeat(rootFactor)), b.repeat(epsilon));
  p = b.sub(p, b.div(b.mul(m, b.repeat(stepSize[segment.rates])), denominator));
  writeMoments(b, {m, v});
  b.write(SlotRole::Master, p);
}

// p *= 1 - rate decay
// m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
// p -= rate / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
void accel::runAdamWStep(OracleSegment &segment, std::vector<double> &first,
                         std::vector<double> &second) {
  double beta1 = segment.get("beta1");
  double beta2 = segment.get("beta2");
  double eps = segment.get("eps");
  double correction1 = 1.0 - std::pow(beta1, segment.updates + 1.0);
  double correction2 = 1.0 - std::pow(beta2, segment.updates + 1.0);
  for (auto [i, g] : llvm::enumerate(segment.gradient)) {
    double decayed =
        segment.parameters[i] * (1.0 - segment.rate * segment.decay);
    first[i] = beta1 * first[i] + (1.0 - beta1) * g;
    second[i] = beta2 * second[i] + (1.0 - beta2) * g * g;
    double denominator = std::sqrt(second[i]) / std::sqrt(correction2) + eps;
    segment.parameters[i] =
        decayed - segment.rate / correction1 * first[i] / denominator;
  }
}

namespace {

/// Moments as they are.
class AdamW : public AdamWArithmetic {
  Moments readMoments(SegmentBuilder &b) override {
    Value first = b.read("first_moment");
    return {first, b.read("second_moment")};
  }
  void writeMoments(SegmentBuilder &b, const Moments &moments) override {
    b.write("first_moment", moments.first);
    b.write("second_moment", moments.second);
  }
};

constexpr OptimizerSlot kAdamWSlots[] = {{"first_moment"}, {"second_moment"}};

} // namespace

constexpr Optimizer accel::kAdamW = {
    "adamw",
    "decoupled decay",
    kAdamWSlots,
    kAdamWNumbers,
    kAdamWPowers,
    [] { return std::unique_ptr<SegmentOptimizer>(new AdamW); },
    [](OracleSegment &segment) {
      runAdamWStep(segment, segment.slots[0], segment.slots[1]);
    }};
