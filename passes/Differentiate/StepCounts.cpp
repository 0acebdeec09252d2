// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of a step beside those of all losses.
#include "passes/Differentiate/StepCounts.h"

#include "dialects/Accel/IR/StepNames.h"

using namespace mlir;

namespace accel {

Value sumUp(ArithmeticBuilder &builder, Value values) {
  Value wide = builder.cast(values, builder.getBuilder().getF64Type());
  int64_t rank = cast<RankedTensorType>(values.getType()).getRank();
  return builder.sum(wide, axisRange(0, rank));
}

void StepCounts::declare(const Twine &name, StateKind kind) {
  OpBuilder states(microbatch);
  auto scalar = RankedTensorType::get({}, states.getF64Type());
  StateOp::create(states, microbatch.getLoc(), name.str(), scalar, kind);
}

void StepCounts::accumulate(const Twine &name, Value values) {
  declare(name, StateKind::Accumulator);
  AccumulateOp::create(b.getBuilder(), b.getLoc(), name.str(),
                       sumUp(b, values));
}

Value StepCounts::addCount(Value weighed) {
  if (added == 0) {
    accumulate(kCountedSamplesState, weights);
  }
  std::string number = std::to_string(added++);
  accumulate(Twine(kCountedPrefix) + number, weighed);
  std::string counter = (Twine(kSamplesPerCountPrefix) + number).str();
  declare(counter, StateKind::Counter);
  auto scalar = RankedTensorType::get({}, b.getBuilder().getF64Type());
  return b.cast(b.create<ReadOp>(scalar, counter), b.getBuilder().getF32Type());
}

} // namespace accel
