// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AdamW, however its moments are kept.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ADAMW_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ADAMW_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/OracleSegment.h"
#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

namespace accel {

/// p *= 1 - rate * decay; m += (1 - beta1) (g - m); v = beta2 v + (1 - beta2)
/// g^2; p -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
class AdamWArithmetic : public SegmentOptimizer {
public:
  void buildScalars(UpdateBuilder &s, llvm::ArrayRef<SegmentRates> rates,
                    mlir::Value gradientFactor) override;
  void buildUpdate(UpdateBuilder &scalars,
                   const TrainedSegment &segment) override;

protected:
  struct Moments {
    mlir::Value first, second; ///< f32
  };
  virtual Moments readMoments(SegmentBuilder &b) = 0;
  virtual void writeMoments(SegmentBuilder &b, const Moments &moments) = 0;

private:
  mlir::Value factor, towardsGradient, beta2, towardsSquare, rootFactor,
      epsilon;
  llvm::SmallVector<mlir::Value> keep, stepSize; ///< of each of the rates
};

/// The same in double, as published. Updates the moments, too.
void runAdamWStep(OracleSegment &segment, std::vector<double> &first,
                  std::vector<double> &second);

inline constexpr OptimizerNumber kAdamWNumbers[] = {
    {"beta1", 0.9, OptimizerNumber::Range::BelowOne,
     "decay of the first moment", "0.9"},
    {"beta2", 0.999, OptimizerNumber::Range::BelowOne,
     "decay of the second moment", "0.95"},
    {"eps", 1e-8, OptimizerNumber::Range::NotNegative,
     "added to the root of the second moment", "1e-8"}};

inline constexpr OptimizerPower kAdamWPowers[] = {{"beta1_power", "beta1"},
                                                  {"beta2_power", "beta2"}};

} // namespace accel

#endif
