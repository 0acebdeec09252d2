// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of losses, of their weights and of their counts.
#include "passes/Differentiate/LossBuilder.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Differentiate/SampleAxis.h"
#include "passes/Import/ConstantValue.h"

using namespace mlir;

namespace accel {
Value LossBuilder::spreadWeights(ArrayRef<int64_t> shape, int64_t blockSize) {
  RankedTensorType type = typeOf(weights).clone(shape);
  if (type == weights.getType()) {
    return weights;
  }
  std::optional<SampleAxis> axis = findSampleAxis(shape, blockSize, batch);
  if (axis && shape[axis->dimension] == batch) {
    return b.create<BroadcastOp>(type, weights,
                                 ArrayRef<int64_t>{axis->dimension});
  }
  // Samples that share their dimension with something else.
  int64_t rounds = type.getNumElements() / (batch * blockSize);
  SmallVector<int64_t> wide{batch, blockSize};
  if (rounds > 1) {
    wide.insert(wide.begin(), rounds);
  }
  Value spread = b.create<BroadcastOp>(type.clone(wide), weights,
                                       ArrayRef<int64_t>{rounds > 1 ? 1 : 0});
  return b.reshape(spread, shape);
}

Value LossBuilder::weigh(const SampleValues &values) {
  Value spread = spreadWeights(shapeOf(values.value), values.blockSize);
  return b.mul(values.value, b.cast(spread, elementTypeOf(values.value)));
}

Value LossBuilder::weigh(Value values) {
  return weigh({values, elementCount(values) / batch});
}

Value LossBuilder::scale(Value values, const LossFactor &factor) {
  auto repeat = [&](Value value) {
    Value number = b.cast(b.reshape(value, {}), elementTypeOf(values));
    return b.repeat(number, typeOf(values));
  };
  for (Value value : factor.values) {
    values = b.mul(values, repeat(value));
  }
  for (Value value : factor.divisors) {
    values = b.div(values, repeat(value));
  }
  return factor.number == 1 ? values : b.mul(values, factor.number);
}

Value LossBuilder::sumSamples(const SampleValues &values) {
  Value wide = b.cast(values.value, elementTypeOf(weights));
  int64_t rounds = elementCount(wide) / (batch * values.blockSize);
  Value blocks = b.reshape(wide, {rounds, batch, values.blockSize});
  return b.sum(blocks, {0, 2});
}

Value LossBuilder::weighCounts(const LossTerm &term) {
  Value counts = b.cast(term.counts.value, elementTypeOf(weights));
  return weigh({counts, term.counts.blockSize});
}

Losses LossBuilder::buildSingle(const LossTerm &term) {
  Value losses =
      weigh({scale(term.losses.value, term.factor), term.losses.blockSize});
  if (!term.hasCounts()) {
    return {losses, weights, term.perSample};
  }
  return {losses, weighCounts(term)};
}

Losses LossBuilder::build(const GraphLoss &loss, StepCounts &stepCounts) {
  if (loss.isSingle()) {
    return buildSingle(loss.terms.front());
  }
  const LossTerm &first = loss.terms.front();
  bool isWhole = loss.haveOneDivisor();
  Value counts =
      isWhole && first.hasCounts() ? sumSamples(first.counts) : Value();
  llvm::DenseMap<Value, Value> shares;
  Value total;
  auto add = [&](Value losses) {
    total = total ? b.add(total, losses) : losses;
  };
  for (const LossTerm &term : loss.terms) {
    LossFactor factor = term.factor;
    factor.number /= static_cast<double>(term.perSample);
    if (!isWhole && term.hasCounts()) {
      Value &share = shares[term.counts.value];
      share = share ? share : stepCounts.addCount(weighCounts(term));
      factor.values.push_back(share);
    }
    add(scale(sumSamples(term.losses), factor));
  }
  // Once for each target, so that it is left whole by the division.
  for (const CommonTerm &term : loss.common) {
    Value number = b.cast(b.reshape(term.value, {}), elementTypeOf(weights));
    Value each = b.repeat(number, typeOf(weights));
    each = scale(each, term.factor);
    add(counts ? b.mul(each, counts) : each);
  }
  Value count = counts ? b.mul(counts, weights) : weights;
  return {b.mul(total, weights), count};
}

} // namespace accel
