// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AdamW as PyTorch defines it (Loshchilov and Hutter 2019).
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/OracleSegment.h"
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace accel;

namespace {

/// p *= 1 - rate * decay; m += (1 - beta1) (g - m); v = beta2 v + (1 - beta2)
/// g^2; p -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
class AdamW : public SegmentOptimizer {
public:
  void buildScalars(ScalarBuilder &s, Value rate,
                    Value gradientFactor) override {
    Value one = s.number(1);
    Value first = s.read("beta1");
    Value second = s.read("beta2");
    Value correction1 = s.sub(one, advancePower(s, "beta1_power", first));
    Value correction2 = s.sub(one, advancePower(s, "beta2_power", second));
    factor = roundToF32(s, gradientFactor);
    keep = roundToF32(s, s.sub(one, s.mul(rate, s.read("weight_decay"))));
    towardsGradient = roundToF32(s, s.sub(one, first));
    beta2 = roundToF32(s, second);
    towardsSquare = roundToF32(s, s.sub(one, second));
    rootFactor = roundToF32(s, s.div(one, s.sqrt(correction2)));
    epsilon = roundToF32(s, s.read("eps"));
    stepSize = roundToF32(s, s.div(rate, correction1));
  }

  void buildUpdate(ScalarBuilder &scalars,
                   const SegmentSlots &segment) override {
    SegmentBuilder b(scalars, segment);
    Value p = b.read("master");
    Value g = b.mul(b.read("gradient"), b.repeat(factor));
    Value m = b.read("first_moment");
    Value v = b.read("second_moment");
    m = b.add(m, b.mul(b.sub(g, m), b.repeat(towardsGradient)));
    v = b.add(b.mul(v, b.repeat(beta2)),
              b.mul(b.mul(g, g), b.repeat(towardsSquare)));
    if (segment.isDecayed) {
      p = b.mul(p, b.repeat(keep));
    }
    Value denominator =
        b.add(b.mul(b.sqrt(v), b.repeat(rootFactor)), b.repeat(epsilon));
    p = b.sub(p, b.div(b.mul(m, b.repeat(stepSize)), denominator));
    b.write("first_moment", m);
    b.write("second_moment", v);
    b.write("master", p);
  }

private:
  Value factor, keep, towardsGradient, beta2, towardsSquare, rootFactor,
      epsilon, stepSize;
};

/// p *= 1 - rate decay
/// m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
/// p -= rate / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
void runAdamW(OracleSegment &segment) {
  double beta1 = segment.get("beta1");
  double beta2 = segment.get("beta2");
  double correction1 = 1.0 - std::pow(beta1, segment.step + 1.0);
  double correction2 = 1.0 - std::pow(beta2, segment.step + 1.0);
  std::vector<double> &first = segment.slots[0];
  std::vector<double> &second = segment.slots[1];
  for (auto [i, g] : llvm::enumerate(segment.gradient)) {
    double decayed =
        segment.parameters[i] * (1.0 - segment.rate * segment.decay);
    first[i] = beta1 * first[i] + (1.0 - beta1) * g;
    second[i] = beta2 * second[i] + (1.0 - beta2) * g * g;
    double denominator =
        std::sqrt(second[i]) / std::sqrt(correction2) + segment.get("eps");
    segment.parameters[i] =
        decayed - segment.rate / correction1 * first[i] / denominator;
  }
}

constexpr OptimizerSlot kAdamWSlots[] = {{"first_moment"}, {"second_moment"}};

constexpr OptimizerNumber kAdamWNumbers[] = {
    {"beta1", 0.9, OptimizerNumber::Range::BelowOne,
     "decay of the first moment", "0.9"},
    {"beta2", 0.999, OptimizerNumber::Range::BelowOne,
     "decay of the second moment", "0.95"},
    {"eps", 1e-8, OptimizerNumber::Range::NotNegative,
     "added to the root of the second moment", "1e-8"}};

constexpr OptimizerPower kAdamWPowers[] = {{"beta1_power", "beta1"},
                                           {"beta2_power", "beta2"}};

} // namespace

constexpr Optimizer accel::kAdamW = {
    "adamw",      "decoupled decay",
    kAdamWSlots,  kAdamWNumbers,
    kAdamWPowers, [] { return std::unique_ptr<SegmentOptimizer>(new AdamW); },
    runAdamW};
