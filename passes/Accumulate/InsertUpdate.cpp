// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends the step with an optimizer update and declares the numbers it reads.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/HyperparameterMeaning.h"
#include "dialects/Accel/IR/LossScale.h"
#include "dialects/Accel/IR/Optimizers/Average.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"
#include "dialects/Accel/IR/Schedule.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Analysis/NumberText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTUPDATEPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

struct Scalar {
  StringRef name;
  double value;
  HyperparameterMeaning meaning = {};
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
    declare(step, StateKind::Hyperparameter, listHyperparameters());
    declare(step, StateKind::Counter, listCounters());
    OpBuilder builder(step.getBody().front().getTerminator());
    UpdateOp::create(builder, step.getLoc(), scale.getValue(), optimizer);
    getOperation()->setAttr(kOptimizerAttr, builder.getStringAttr(optimizer));
    if (skipsNonFinite) {
      getOperation()->setAttr(kSkipsNonFiniteAttr, builder.getUnitAttr());
    }
  }

private:
  static MetricOp findScale(func::FuncOp step) {
    for (MetricOp metric : step.getBody().front().getOps<MetricOp>()) {
      if (metric.getName() == kGradientScaleMetric) {
        return metric;
      }
    }
    return MetricOp();
  }

  /// Checks all options and names every wrong one.
  LogicalResult verifyOptions(func::FuncOp step) {
    bool hasFailed = false;
    auto expect = [&](bool holds, const Twine &flag, const Twine &expected,
                      const Twine &got) {
      if (!holds) {
        hasFailed = true;
        step.emitError("--")
            << flag << ": expected " << expected << ", got " << got;
      }
    };
    expect(findOptimizer(optimizer), "optimizer", listOptimizers(),
           "'" + optimizer + "'");
    expect(parseSchedule(schedule).has_value(), "schedule",
           "constant, linear, cosine or wsd", "'" + schedule + "'");
    const std::pair<StringRef, double> amounts[] = {
        {"lr", lr},
        {"min-lr", minLr},
        {"weight-decay", weightDecay},
        {"clip-norm", clipNorm},
        {"warmup-steps", warmupSteps},
        {"decay-steps", decaySteps},
        {"schedule-steps", scheduleSteps}};
    for (auto [flag, value] : amounts) {
      expect(value >= 0 && std::isfinite(value), flag,
             "a finite number that is not negative", toText(value));
    }
    expect(ema >= 0 && ema < 1, "ema", "a number from 0 to below 1",
           toText(ema));
    if (const Optimizer *known = findOptimizer(optimizer)) {
      verifyNumbers(*known, expect);
    }
    return failure(hasFailed);
  }

  /// Checks the numbers that are given for the optimizer, NAME=VALUE each, and
  /// keeps them.
  template <typename Expect>
  void verifyNumbers(const Optimizer &known, Expect expect) {
    given.clear();
    for (StringRef text : numbers) {
      auto [name, valueText] = text.split('=');
      double value = 0;
      if (valueText.getAsDouble(value)) {
        expect(false, "numbers", "NAME=VALUE", "'" + text + "'");
        continue;
      }
      const OptimizerNumber *number = known.findNumber(name);
      if (!number) {
        expect(false, name, "an optimizer that reads it", known.name);
        continue;
      }
      bool isFactor = number->range == OptimizerNumber::Range::BelowOne;
      expect(number->contains(value), name,
             isFactor ? "a number in [0, 1)"
                      : "a finite number that is not negative",
             toText(value));
      given[number->name] = value;
    }
  }

  SmallVector<Scalar> listHyperparameters() {
    HyperparameterMeaning choice, count, bound, horizon, decay;
    llvm::append_range(choice.choices, getScheduleNames());
    // A constant rate neither ends somewhere nor takes some time to.
    llvm::append_range(bound.readBy, getScheduleNames().drop_front());
    horizon.readBy = bound.readBy;
    horizon.defaultsToSteps = scheduleSteps == 0;
    decay.readBy.push_back("wsd");
    for (HyperparameterMeaning *each : {&choice, &count, &horizon, &decay}) {
      each->isInteger = true;
    }
    SmallVector<Scalar> scalars{
        {"lr", lr},
        {"weight_decay", weightDecay},
        {"warmup_steps", warmupSteps, count},
        {"schedule", static_cast<double>(*parseSchedule(schedule)), choice},
        {"min_lr", minLr, bound},
        {"schedule_steps", scheduleSteps, horizon},
        {"decay_steps", decaySteps, decay},
        {"clip_norm", clipNorm}};
    for (const OptimizerNumber &number : findOptimizer(optimizer)->numbers) {
      auto found = given.find(number.name);
      scalars.push_back(
          {number.name, found == given.end() ? number.value : found->second});
    }
    if (ema != 0) {
      scalars.push_back({kEmaState, ema});
    }
    if (LossScalePolicy policy = getLossScale(); policy.changes()) {
      scalars.push_back({kLossScaleWindow, policy.window, count});
      scalars.push_back({kLossScaleHysteresis, policy.hysteresis, count});
    }
    return scalars;
  }

  SmallVector<Scalar> listCounters() {
    SmallVector<Scalar> scalars{{"step_count", 0}, {"skipped_steps", 0}};
    for (const OptimizerPower &power : findOptimizer(optimizer)->powers) {
      scalars.push_back({power.name, 1});
    }
    if (getLossScale().changes()) {
      scalars.append({{kLossScaleSteps, 0}, {kLossScaleOverflows, 0}});
    }
    return scalars;
  }

  /// That of the module; one that does not change if it has none.
  LossScalePolicy getLossScale() {
    auto name = getOperation()->getAttrOfType<StringAttr>(kLossScaleAttr);
    return name ? parseLossScale(name.getValue()).value_or(LossScalePolicy())
                : LossScalePolicy();
  }

  static void declare(func::FuncOp step, StateKind kind,
                      ArrayRef<Scalar> scalars) {
    OpBuilder builder(step);
    auto type = RankedTensorType::get({}, builder.getF64Type());
    for (const Scalar &scalar : scalars) {
      auto state = StateOp::create(builder, step.getLoc(), scalar.name, type,
                                   kind, builder.getF64FloatAttr(scalar.value));
      if (DictionaryAttr meaning =
              scalar.meaning.getAttr(builder.getContext())) {
        state->setAttr(kMeaningAttr, meaning);
      }
    }
  }

  llvm::StringMap<double> given; ///< numbers of the optimizer
};

} // namespace
} // namespace accel
