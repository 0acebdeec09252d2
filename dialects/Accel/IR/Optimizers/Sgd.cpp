// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SGD with momentum as PyTorch defines it.
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/OracleSegment.h"
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// g += decay * p; m = momentum m + g; p -= rate * m
class Sgd : public SegmentOptimizer {
public:
  void buildScalars(UpdateBuilder &s, ArrayRef<SegmentRates> rates,
                    Value gradientFactor) override {
    factor = roundToF32(s, gradientFactor);
    decay = roundEach(
        s, rates, [&](const SegmentRates &each) { return each.getDecay(s); });
    momentum = roundToF32(s, s.read("momentum"));
    stepSize =
        roundEach(s, rates, [](const SegmentRates &each) { return each.rate; });
  }

  void buildUpdate(UpdateBuilder &scalars,
                   const TrainedSegment &segment) override {
    SegmentBuilder b(scalars, segment);
    Value p = b.read(SlotRole::Master);
    Value g = b.mul(b.read(SlotRole::Gradient), b.repeat(factor));
    if (segment.isDecayed()) {
      g = b.add(g, b.mul(p, b.repeat(decay[segment.rates])));
    }
    Value m = b.add(b.mul(b.read("momentum"), b.repeat(momentum)), g);
    b.write("momentum", m);
    b.write(SlotRole::Master,
            b.sub(p, b.mul(m, b.repeat(stepSize[segment.rates]))));
  }

private:
  Value factor, momentum;
  llvm::SmallVector<Value> decay, stepSize; ///< of each of the rates
};

/// g += decay p;  m = momentum m + g;  p -= rate m
void runSgd(OracleSegment &segment) {
  std::vector<double> &velocity = segment.slots[0];
  for (auto [i, g] : llvm::enumerate(segment.gradient)) {
    velocity[i] = segment.get("momentum") * velocity[i] + g +
                  segment.decay * segment.parameters[i];
    segment.parameters[i] -= segment.rate * velocity[i];
  }
}

constexpr OptimizerSlot kSgdSlots[] = {{"momentum"}};

constexpr OptimizerNumber kSgdNumbers[] = {{"momentum", 0.9,
                                            OptimizerNumber::Range::BelowOne,
                                            "decay of the momentum", "0.9"}};

} // namespace

constexpr Optimizer accel::kSgd = {
    "sgd",     "with momentum",
    kSgdSlots, kSgdNumbers,
    {},        [] { return std::unique_ptr<SegmentOptimizer>(new Sgd); },
    runSgd};
