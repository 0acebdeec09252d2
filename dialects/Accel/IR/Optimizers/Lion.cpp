// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lion (Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms").
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/OracleSegment.h"
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// p *= 1 - rate * decay; p -= rate * sign(beta1 m + (1 - beta1) g);
/// m = beta2 m + (1 - beta2) g
class Lion : public SegmentOptimizer {
public:
  void buildScalars(UpdateBuilder &s, ArrayRef<SegmentRates> rates,
                    Value gradientFactor) override {
    Value one = s.number(1);
    Value inUpdate = s.read("beta1");
    Value inMoment = s.read("beta2");
    factor = roundToF32(s, gradientFactor);
    keep = roundEach(s, rates, [&](const SegmentRates &each) {
      return s.sub(one, s.mul(each.rate, each.getDecay(s)));
    });
    beta1 = roundToF32(s, inUpdate);
    rest1 = roundToF32(s, s.sub(one, inUpdate));
    beta2 = roundToF32(s, inMoment);
    rest2 = roundToF32(s, s.sub(one, inMoment));
    stepSize =
        roundEach(s, rates, [](const SegmentRates &each) { return each.rate; });
  }

  void buildUpdate(UpdateBuilder &scalars,
                   const TrainedSegment &segment) override {
    SegmentBuilder b(scalars, segment);
    Value p = b.read(SlotRole::Master);
    Value g = b.mul(b.read(SlotRole::Gradient), b.repeat(factor));
    Value m = b.read("first_moment");
    Value direction =
        b.sign(b.add(b.mul(m, b.repeat(beta1)), b.mul(g, b.repeat(rest1))));
    if (segment.isDecayed()) {
      p = b.mul(p, b.repeat(keep[segment.rates]));
    }
    m = b.add(b.mul(m, b.repeat(beta2)), b.mul(g, b.repeat(rest2)));
    b.write("first_moment", m);
    b.write(SlotRole::Master,
            b.sub(p, b.mul(direction, b.repeat(stepSize[segment.rates]))));
  }

private:
  Value factor, beta1, rest1, beta2, rest2;
  llvm::SmallVector<Value> keep, stepSize; ///< of each of the rates
};

/// u = beta1 m + (1 - beta1) g;  p -= rate (sign(u) + decay p)
/// m = beta2 m + (1 - beta2) g
void runLion(OracleSegment &segment) {
  double beta1 = segment.get("beta1");
  double beta2 = segment.get("beta2");
  std::vector<double> &moment = segment.slots[0];
  for (auto [i, g] : llvm::enumerate(segment.gradient)) {
    double update = beta1 * moment[i] + (1.0 - beta1) * g;
    double sign = update > 0.0 ? 1.0 : update < 0.0 ? -1.0 : update;
    segment.parameters[i] -=
        segment.rate * (sign + segment.decay * segment.parameters[i]);
    moment[i] = beta2 * moment[i] + (1.0 - beta2) * g;
  }
}

constexpr OptimizerSlot kLionSlots[] = {{"first_moment"}};

constexpr OptimizerNumber kLionNumbers[] = {
    {"beta1", 0.9, OptimizerNumber::Range::BelowOne,
     "share of the moment in the update", "0.9"},
    {"beta2", 0.99, OptimizerNumber::Range::BelowOne, "decay of the moment",
     "0.99"}};

} // namespace

constexpr Optimizer accel::kLion = {
    "lion",     "the sign of one moment",
    kLionSlots, kLionNumbers,
    {},         [] { return std::unique_ptr<SegmentOptimizer>(new Lion); },
    runLion};
