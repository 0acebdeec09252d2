// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer as the oracle runs it.
#include "dialects/Accel/Interpreter/OptimizerStep.h"

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

struct Hyperparameters {
  double step, rate, weightDecay;
  double clipNorm = 0.0;
  double beta1 = 0.0, beta2 = 0.0, eps = 0.0;
  double momentum = 0.0;
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
  if (scalars.has("clip_norm")) {
    values.clipNorm = scalars.get("clip_norm");
  }
  if (op.getKind() == "adamw") {
    values.beta1 = scalars.get("beta1");
    values.beta2 = scalars.get("beta2");
    values.eps = scalars.get("eps");
  } else {
    values.momentum = scalars.get("momentum");
  }
  if (failed(scalars.check(op))) {
    return failure();
  }
  return values;
}

/// One parameter and its gradient, already scaled and clipped.
struct Update {
  MutableArrayRef<double> parameter;
  llvm::SmallVector<double> gradient;
  double decay; ///< weight decay of this parameter
};

void applyAdamW(Update &update, const Hyperparameters &h,
                HostTensor &firstMoment, HostTensor &secondMoment) {
  double correction1 = 1.0 - std::pow(h.beta1, h.step + 1.0);
  double correction2 = 1.0 - std::pow(h.beta2, h.step + 1.0);
  MutableArrayRef<double> first = firstMoment.mutableFloats();
  MutableArrayRef<double> second = secondMoment.mutableFloats();
  for (auto [i, g] : llvm::enumerate(update.gradient)) {
    double decayed = update.parameter[i] * (1.0 - h.rate * update.decay);
    first[i] = h.beta1 * first[i] + (1.0 - h.beta1) * g;
    second[i] = h.beta2 * second[i] + (1.0 - h.beta2) * g * g;
    double denominator = std::sqrt(second[i]) / std::sqrt(correction2) + h.eps;
    update.parameter[i] =
        decayed - h.rate / correction1 * first[i] / denominator;
  }
}

void applySgd(Update &update, const Hyperparameters &h, HostTensor &momentum) {
  MutableArrayRef<double> velocity = momentum.mutableFloats();
  for (auto [i, g] : llvm::enumerate(update.gradient)) {
    velocity[i] =
        h.momentum * velocity[i] + g + update.decay * update.parameter[i];
    update.parameter[i] -= h.rate * velocity[i];
  }
}

class Step {
public:
  Step(UpdateOp op, const Hyperparameters &values, ProgramState &state)
      : op(op), values(values), state(state) {}

  double getGradientNorm(double scale) const {
    double squares = 0.0;
    for (ParameterOp parameter : getTrainable()) {
      for (double g :
           HostTensor(state.getGradient(parameter.getSymName())).floats()) {
        squares += g * scale * g * scale;
      }
    }
    return std::sqrt(squares);
  }

  LogicalResult apply(double factor) {
    for (ParameterOp parameter : getTrainable()) {
      HostTensor value = state.read(parameter.getSymName());
      if (!value) {
        return op.emitOpError() << "cannot be run: @" << parameter.getSymName()
                                << " has no value; set one before the run";
      }
      HostTensor gradient = state.getGradient(parameter.getSymName());
      Update update{value.mutableFloats(),
                    {},
                    value.getRank() >= 2 ? values.weightDecay : 0.0};
      llvm::append_range(update.gradient,
                         llvm::map_range(gradient.floats(),
                                         [&](double g) { return g * factor; }));
      applyTo(parameter, update);
      (void)state.write(parameter.getSymName(), value);
    }
    return success();
  }

  void advance() {
    setScalar("step_count", values.step + 1.0);
    for (auto [name, beta] : {std::pair("beta1_power", values.beta1),
                              {"beta2_power", values.beta2}}) {
      HostTensor power = state.read(name);
      if (op.getKind() == "adamw" && power) {
        setScalar(name, power.floats()[0] * beta);
      }
    }
  }

private:
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

  void applyTo(ParameterOp parameter, Update &update) {
    bool adamw = op.getKind() == "adamw";
    StringRef slot = adamw ? "first_moment" : "momentum";
    HostTensor first = state.getMoment(slot, parameter);
    if (adamw) {
      HostTensor second = state.getMoment("second_moment", parameter);
      applyAdamW(update, values, first, second);
      state.setMoment("second_moment", parameter, second);
    } else {
      applySgd(update, values, first);
    }
    state.setMoment(slot, parameter, first);
  }

  void setScalar(StringRef name, double value) {
    (void)state.write(
        name, HostTensor::splat(
                  ProgramState::getDeclaredType(state.lookup(name)), value));
  }

  UpdateOp op;
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
  if (failed(step.apply(scale * clip))) {
    return failure();
  }
  step.advance();
  return success();
}

} // namespace accel
