// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends the step with an optimizer update and declares the numbers it reads.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Schedule.h"
#include "passes/Analysis/NumberText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTUPDATEPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

struct Scalar {
  StringRef name;
  double value;
};

class InsertUpdatePass : public impl::InsertUpdatePassBase<InsertUpdatePass> {
public:
  using InsertUpdatePassBase::InsertUpdatePassBase;

  void runOnOperation() override {
    auto step = findFunction(getOperation(), FunctionRole::Step);
    MetricOp scale = step ? findScale(step) : MetricOp();
    if (!scale) {
      getOperation().emitError(
          "expected a function of role step that reports metric "
          "'gradient_scale', got ")
          << (step ? "no such metric" : "no function");
      return signalPassFailure();
    }
    if (failed(verifyOptions(step))) {
      return signalPassFailure();
    }
    declare(step, "hyperparameter", listHyperparameters());
    declare(step, "counter", listCounters());
    OpBuilder builder(step.getBody().front().getTerminator());
    UpdateOp::create(builder, step.getLoc(), scale.getValue(), optimizer);
    getOperation()->setAttr(kOptimizerAttr, builder.getStringAttr(optimizer));
  }

private:
  static MetricOp findScale(func::FuncOp step) {
    for (MetricOp metric : step.getBody().front().getOps<MetricOp>()) {
      if (metric.getName() == "gradient_scale") {
        return metric;
      }
    }
    return MetricOp();
  }

  /// Checks all options and names every wrong one.
  LogicalResult verifyOptions(func::FuncOp step) {
    bool hasFailed = false;
    auto expect = [&](bool holds, StringRef flag, const Twine &expected,
                      const Twine &got) {
      if (!holds) {
        hasFailed = true;
        step.emitError("--")
            << flag << ": expected " << expected << ", got " << got;
      }
    };
    auto expectNumber = [&](bool holds, StringRef flag, StringRef expected,
                            double got) {
      expect(holds, flag, expected, toText(got));
    };
    expect(optimizer == "adamw" || optimizer == "sgd", "optimizer",
           "adamw or sgd", "'" + optimizer + "'");
    expect(parseSchedule(schedule).has_value(), "schedule",
           "constant, linear, cosine or wsd", "'" + schedule + "'");
    const std::pair<StringRef, double> amounts[] = {
        {"lr", lr},
        {"min-lr", minLr},
        {"eps", eps},
        {"weight-decay", weightDecay},
        {"clip-norm", clipNorm},
        {"warmup-steps", warmupSteps},
        {"decay-steps", decaySteps},
        {"schedule-steps", scheduleSteps}};
    for (auto [flag, value] : amounts) {
      expectNumber(value >= 0 && std::isfinite(value), flag,
                   "a finite number that is not negative", value);
    }
    const std::pair<StringRef, double> factors[] = {
        {"beta1", beta1}, {"beta2", beta2}, {"momentum", momentum}};
    for (auto [flag, value] : factors) {
      expectNumber(value >= 0 && value < 1, flag, "a number in [0, 1)", value);
    }
    return failure(hasFailed);
  }

  SmallVector<Scalar> listHyperparameters() {
    SmallVector<Scalar> scalars{
        {"lr", lr},
        {"weight_decay", weightDecay},
        {"warmup_steps", warmupSteps},
        {"schedule", static_cast<double>(*parseSchedule(schedule))},
        {"min_lr", minLr},
        {"schedule_steps", scheduleSteps},
        {"decay_steps", decaySteps},
        {"clip_norm", clipNorm}};
    if (optimizer == "adamw") {
      scalars.append({{"beta1", beta1}, {"beta2", beta2}, {"eps", eps}});
    } else {
      scalars.push_back({"momentum", momentum});
    }
    return scalars;
  }

  SmallVector<Scalar> listCounters() {
    SmallVector<Scalar> scalars{{"step_count", 0}};
    if (optimizer == "adamw") {
      scalars.append({{"beta1_power", 1}, {"beta2_power", 1}});
    }
    return scalars;
  }

  static void declare(func::FuncOp step, StringRef kind,
                      ArrayRef<Scalar> scalars) {
    OpBuilder builder(step);
    auto type = RankedTensorType::get({}, builder.getF64Type());
    for (const Scalar &scalar : scalars) {
      StateOp::create(builder, step.getLoc(), scalar.name, type, kind,
                      builder.getF64FloatAttr(scalar.value));
    }
  }
};

} // namespace
} // namespace accel
