// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of the learning rate.
#include "passes/Shard/LearningRate.h"

#include <numbers>

using namespace mlir;

namespace accel {
namespace {

/// clamp((step - begin) / max(1, length), 0, 1)
Value buildProgress(ScalarBuilder &s, Value step, Value begin, Value length) {
  Value progress = s.div(s.sub(step, begin), s.max(length, s.number(1)));
  return s.min(s.max(progress, s.number(0)), s.number(1));
}

/// The rate after warm-up.
Value buildDecay(ScalarBuilder &s, StringRef schedule, Value step, Value rate,
                 Value warmup) {
  if (schedule == "constant") {
    return rate;
  }
  Value least = s.read("min_lr");
  Value horizon = s.read("schedule_steps");
  if (schedule == "wsd") {
    Value length = s.read("decay_steps");
    Value progress = buildProgress(s, step, s.sub(horizon, length), length);
    return s.add(rate, s.mul(s.sub(least, rate), progress));
  }
  Value progress = buildProgress(s, step, warmup, s.sub(horizon, warmup));
  Value part = s.sub(s.number(1), progress);
  if (schedule == "cosine") {
    Value wave = s.cos(s.mul(progress, s.number(std::numbers::pi)));
    part = s.mul(s.add(s.number(1), wave), s.number(0.5));
  }
  return s.add(least, s.mul(s.sub(rate, least), part));
}

} // namespace

Value buildLearningRate(ScalarBuilder &s, StringRef schedule, Value step) {
  Value rate = s.read("lr");
  Value warmup = s.read("warmup_steps");
  Value decayed = buildDecay(s, schedule, step, rate, warmup);
  Value rising =
      s.div(s.mul(rate, s.add(step, s.number(1))), s.max(warmup, s.number(1)));
  return s.selectLess(step, warmup, rising, decayed);
}

} // namespace accel
