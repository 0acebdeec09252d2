// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of the learning rate.
#include "passes/Shard/LearningRate.h"

#include "dialects/Accel/IR/Schedule.h"

#include <numbers>

using namespace mlir;

namespace accel {
namespace {

/// clamp((step - begin) / max(1, length), 0, 1)
Value buildProgress(ScalarBuilder &s, Value step, Value begin, Value length) {
  Value progress = s.div(s.sub(step, begin), s.max(length, s.number(1)));
  return s.min(s.max(progress, s.number(0)), s.number(1));
}

/// Whether state @schedule is at most `kind`, as a choice between two values.
Value selectUpTo(ScalarBuilder &s, Value chosen, Schedule kind, Value onTrue,
                 Value onFalse) {
  Value bound = s.number(static_cast<double>(kind) + 0.5);
  return s.selectLess(chosen, bound, onTrue, onFalse);
}

/// The rate after warm-up: of all schedules, of which one is taken. They are a
/// few operations on scalars.
Value buildDecay(ScalarBuilder &s, Value step, Value rate, Value warmup) {
  Value chosen = s.read("schedule");
  Value least = s.read("min_lr");
  Value horizon = s.read("schedule_steps");
  Value length = s.read("decay_steps");

  Value last = buildProgress(s, step, s.sub(horizon, length), length);
  Value wsd = s.add(rate, s.mul(s.sub(least, rate), last));

  Value progress = buildProgress(s, step, warmup, s.sub(horizon, warmup));
  Value left = s.sub(s.number(1), progress);
  Value wave = s.cos(s.mul(progress, s.number(std::numbers::pi)));
  Value half = s.mul(s.add(s.number(1), wave), s.number(0.5));
  Value part = selectUpTo(s, chosen, Schedule::Linear, left, half);
  Value falling = s.add(least, s.mul(s.sub(rate, least), part));

  return selectUpTo(s, chosen, Schedule::Constant, rate,
                    selectUpTo(s, chosen, Schedule::Cosine, falling, wsd));
}

} // namespace

Value buildLearningRate(ScalarBuilder &s, bool hasSchedule, Value step) {
  Value rate = s.read("lr");
  Value warmup = s.read("warmup_steps");
  Value decayed = hasSchedule ? buildDecay(s, step, rate, warmup) : rate;
  Value rising =
      s.div(s.mul(rate, s.add(step, s.number(1))), s.max(warmup, s.number(1)));
  return s.selectLess(step, warmup, rising, decayed);
}

} // namespace accel
