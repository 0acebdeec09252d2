// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer as the oracle runs it.
#include "dialects/Accel/Interpreter/OptimizerStep.h"

#include "dialects/Accel/IR/Optimizers/Average.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/OracleSegment.h"
#include "dialects/Accel/IR/Optimizers/SlotType.h"
#include "dialects/Accel/IR/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace accel {
namespace {

/// Hyperparameters and counters by name; remembers which are missing.
class Scalars {
public:
  explicit Scalars(const ProgramState &state) : state(state) {}

  double get(StringRef name) {
    HostTensor value = state.read(name);
    if (!value || value.getRank() != 0 || !value.isFloat()) {
      missing.push_back(("@" + name).str());
      return 0.0;
    }
    return value.floats()[0];
  }

  bool has(StringRef name) const { return state.lookup(name); }

  LogicalResult check(UpdateOp op) const {
    if (missing.empty()) {
      return success();
    }
    return op.emitOpError()
           << "cannot be run: expected states of type tensor<f64> for its "
              "hyperparameters, got none named "
           << llvm::join(missing, ", ");
  }

private:
  const ProgramState &state;
  llvm::SmallVector<std::string> missing;
};

/// What a step reads.
struct Hyperparameters {
  double step, rate, weightDecay;
  double skipped = 0.0; ///< steps that changed nothing
  double clipNorm = 0.0;
  std::optional<double> ema;       ///< none: there are no averages
  llvm::StringMap<double> numbers; ///< of the optimizer
};

double getRate(double step, Scalars &scalars) {
  Schedule schedule =
      scalars.has("schedule")
          ? static_cast<Schedule>(static_cast<int>(scalars.get("schedule")))
          : Schedule::Constant;
  double lr = scalars.get("lr");
  double warmup = scalars.get("warmup_steps");
  double minimum = 0.0;
  double progress = 0.0;
  if (schedule != Schedule::Constant) {
    minimum = scalars.get("min_lr");
    double horizon = scalars.get("schedule_steps");
    double decay = schedule == Schedule::Wsd ? scalars.get("decay_steps")
                                             : horizon - warmup;
    double start = schedule == Schedule::Wsd ? horizon - decay : warmup;
    progress = std::clamp((step - start) / std::max(1.0, decay), 0.0, 1.0);
  }
  if (step < warmup) {
    return lr * (step + 1.0) / warmup;
  }
  if (schedule == Schedule::Cosine) {
    return minimum +
           (lr - minimum) * (1.0 + std::cos(std::numbers::pi * progress)) / 2.0;
  }
  return lr + (minimum - lr) * progress;
}

FailureOr<Hyperparameters> readHyperparameters(UpdateOp op,
                                               const ProgramState &state) {
  Scalars scalars(state);
  Hyperparameters values;
  values.step = scalars.get("step_count");
  values.rate = getRate(values.step, scalars);
  values.weightDecay = scalars.get("weight_decay");
  if (scalars.has("skipped_steps")) {
    values.skipped = scalars.get("skipped_steps");
  }
  if (scalars.has("clip_norm")) {
    values.clipNorm = scalars.get("clip_norm");
  }
  if (scalars.has(kEmaState)) {
    values.ema = scalars.get(kEmaState);
  }
  for (const OptimizerNumber &number : findOptimizer(op.getKind())->numbers) {
    values.numbers[number.name] = scalars.get(number.name);
  }
  if (failed(scalars.check(op))) {
    return failure();
  }
  return values;
}

std::vector<double> toNumbers(const HostTensor &tensor) {
  return tensor.visit([](auto elements) {
    return std::vector<double>(elements.begin(), elements.end());
  });
}

HostTensor fromNumbers(RankedTensorType type,
                       const std::vector<double> &numbers) {
  if (isa<FloatType>(type.getElementType())) {
    return HostTensor(type, numbers);
  }
  return HostTensor(type, std::vector<int64_t>(numbers.begin(), numbers.end()));
}

class Step {
public:
  Step(UpdateOp op, const Hyperparameters &values, ProgramState &state)
      : op(op), optimizer(*findOptimizer(op.getKind())), values(values),
        state(state) {}

  double getGradientNorm(double scale) const {
    double squares = 0.0;
    for (ParameterOp parameter : getTrainable()) {
      HostTensor gradient = state.getGradient(parameter.getSymName());
      for (double g : gradient.floats()) {
        squares += g * scale * g * scale;
      }
    }
    return std::sqrt(squares);
  }

  /// Whether the sum of losses, where there is one, and the norm of the
  /// gradient are finite.
  bool isFinite(double norm) const {
    HostTensor losses = state.read("loss_sum");
    return std::isfinite(norm) &&
           (!losses || std::isfinite(losses.floats()[0]));
  }

  /// Segments, where Shard has made them, and parameters of no segment.
  LogicalResult apply(double factor) {
    for (ParameterOp parameter : getTrainable()) {
      if (!parameter.getSegment() &&
          failed(applyToParameter(parameter, factor))) {
        return failure();
      }
    }
    for (Operation *declaration : state.getDeclarations()) {
      auto gradient = dyn_cast<StateOp>(declaration);
      if (gradient && gradient.isGradient() &&
          gradient.getGroup() != OptimizerGroup::Statistic) {
        applyToSegment(gradient, factor);
      }
    }
    moveStatistics();
    return success();
  }

  /// Counters move on; those of the optimizer only if the step `isApplied`.
  void advance(bool isApplied) {
    setScalar("step_count", values.step + 1.0);
    if (!isApplied) {
      if (state.lookup("skipped_steps")) {
        setScalar("skipped_steps", values.skipped + 1.0);
      }
      return;
    }
    for (const OptimizerPower &power : optimizer.powers) {
      if (HostTensor value = state.read(power.name)) {
        setScalar(power.name,
                  value.floats()[0] * values.numbers.lookup(power.base));
      }
    }
  }

private:
  /// A statistic changes by what was accumulated for it.
  void moveStatistics() {
    for (Operation *declaration : state.getDeclarations()) {
      auto statistic = dyn_cast<ParameterOp>(declaration);
      if (!statistic || !statistic.getStatistic()) {
        continue;
      }
      StringRef name = statistic.getSymName();
      HostTensor value = state.read(name), change = state.getGradient(name);
      for (auto [element, addend] :
           llvm::zip_equal(value.mutableFloats(), change.floats())) {
        element += addend;
      }
      (void)state.write(name, value);
    }
  }

  llvm::SmallVector<ParameterOp> getTrainable() const {
    llvm::SmallVector<ParameterOp> trainable;
    for (Operation *declaration : state.getDeclarations()) {
      auto parameter = dyn_cast<ParameterOp>(declaration);
      if (parameter && parameter.getTrainable()) {
        trainable.push_back(parameter);
      }
    }
    return trainable;
  }

  LogicalResult applyToParameter(ParameterOp parameter, double factor) {
    HostTensor value = state.read(parameter.getSymName());
    if (!value) {
      return op.emitOpError() << "cannot be run: @" << parameter.getSymName()
                              << " has no value; set one before the run";
    }
    auto read = [&](const OptimizerSlot &slot) {
      HostTensor moment = state.getMoment(slot.name, parameter);
      return moment ? moment : HostTensor(getSlotType(slot, value.getType()));
    };
    auto write = [&](const OptimizerSlot &slot, const HostTensor &moment) {
      state.setMoment(slot.name, parameter, moment);
    };
    if (values.ema && !state.getMoment(kAverageSlot.name, parameter)) {
      state.setMoment(kAverageSlot.name, parameter, value);
    }
    run(value, state.getGradient(parameter.getSymName()), factor,
        getRates(parameter), read, write);
    (void)state.write(parameter.getSymName(), value);
    return success();
  }

  void applyToSegment(StateOp gradient, double factor) {
    std::string master = gradient.getMasterName();
    HostTensor value = state.read(master);
    auto getName = [&](const OptimizerSlot &slot) {
      return gradient.getSibling(
          SlotAttr::getKept(gradient.getContext(), slot.name));
    };
    auto read = [&](const OptimizerSlot &slot) {
      return state.read(getName(slot));
    };
    auto write = [&](const OptimizerSlot &slot, const HostTensor &moment) {
      (void)state.write(getName(slot), moment);
    };
    run(value, state.read(gradient.getSymName()), factor,
        getRates(gradient, master), read, write);
    (void)state.write(master, value);
  }

  struct Rates {
    double rate, decay;
  };

  Rates getRates(ParameterOp parameter) const {
    double decay = parameter.getOwnDecay().value_or(values.weightDecay);
    return {values.rate * parameter.getRateFactor(),
            parameter.isDecayed() ? decay : 0.0};
  }

  /// Parameters of a segment have the same, apart from why they decay.
  Rates getRates(StateOp gradient, StringRef master) const {
    bool decays = gradient.getGroup() == OptimizerGroup::Decayed;
    Rates rates{values.rate, values.weightDecay};
    for (ParameterOp parameter : getTrainable()) {
      if (parameter.getSegment() == master) {
        rates.rate = values.rate * parameter.getRateFactor();
        rates.decay = parameter.getOwnDecay().value_or(values.weightDecay);
      }
    }
    return {rates.rate, decays ? rates.decay : 0.0};
  }

  /// One step on `value`, with what `read` and `write` keep for it.
  template <typename Read, typename Write>
  void run(HostTensor &value, const HostTensor &gradient, double factor,
           Rates rates, Read read, Write write) {
    auto scaled = llvm::map_to_vector(gradient.floats(),
                                      [&](double g) { return g * factor; });
    OracleSegment segment{values.numbers,
                          values.step - values.skipped,
                          rates.rate,
                          value.mutableFloats(),
                          scaled,
                          rates.decay,
                          {}};
    for (const OptimizerSlot &slot : optimizer.slots) {
      segment.slots.push_back(toNumbers(read(slot)));
    }
    optimizer.runOracle(segment);
    for (auto [slot, moment] :
         llvm::zip_equal(optimizer.slots, segment.slots)) {
      write(slot, fromNumbers(read(slot).getType(), moment));
    }
    if (values.ema) {
      HostTensor average = read(kAverageSlot);
      for (auto [e, p] :
           llvm::zip_equal(average.mutableFloats(), value.floats())) {
        e = *values.ema * e + (1.0 - *values.ema) * p;
      }
      write(kAverageSlot, average);
    }
  }

  void setScalar(StringRef name, double value) {
    (void)state.write(
        name, HostTensor::splat(
                  ProgramState::getDeclaredType(state.lookup(name)), value));
  }

  UpdateOp op;
  const Optimizer &optimizer;
  const Hyperparameters &values;
  ProgramState &state;
};

} // namespace

LogicalResult runOptimizerStep(UpdateOp op, double scale, ProgramState &state,
                               llvm::SmallVectorImpl<Metric> &metrics) {
  FailureOr<Hyperparameters> values = readHyperparameters(op, state);
  if (failed(values)) {
    return failure();
  }
  Step step(op, *values, state);
  double norm = step.getGradientNorm(scale);
  metrics.push_back({"grad_norm", norm});
  metrics.push_back({"lr", values->rate});
  double clip = values->clipNorm > 0.0
                    ? std::min(1.0, values->clipNorm / (norm + 1e-6))
                    : 1.0;
  bool isFinite = step.isFinite(norm);
  metrics.push_back({"finite", isFinite ? 1.0 : 0.0});
  if (isFinite && failed(step.apply(scale * clip))) {
    return failure();
  }
  step.advance(isFinite);
  return success();
}

} // namespace accel
