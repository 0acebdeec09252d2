// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state machine of the loss scale, in selects.
#include "passes/Shard/LossScaleUpdate.h"

#include "dialects/Accel/IR/LossScale.h"

using namespace mlir;
using namespace accel;

void accel::buildLossScaleUpdate(ScalarBuilder &s, Value isFinite) {
  Value scale = s.read(kLossScaleState);
  Value zero = s.number(0);
  Value one = s.number(1);
  Value steps = s.add(s.read(kLossScaleSteps), one);
  Value before = s.read(kLossScaleOverflows);
  Value overflows = s.add(before, one);

  Value half = s.max(s.mul(scale, s.number(0.5)), s.number(kLeastLossScale));
  Value lowered =
      s.selectLess(overflows, s.read(kLossScaleHysteresis), scale, half);
  Value twice = s.min(s.mul(scale, s.number(2)), s.number(kLargestLossScale));
  Value window = s.read(kLossScaleWindow);
  auto unlessDone = [&](Value kept, Value changed) {
    return s.selectLess(steps, window, kept, changed);
  };

  s.write(kLossScaleState,
          s.select(isFinite, unlessDone(scale, twice), lowered));
  s.write(kLossScaleSteps, s.select(isFinite, unlessDone(steps, zero), zero));
  s.write(kLossScaleOverflows,
          s.select(isFinite, unlessDone(before, zero), overflows));
}
