// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from the values up to the queries.
#include "passes/Import/AttentionMatch.h"

#include "passes/Import/ConstantValue.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

/// Walks from the probabilities up to the softmax.
bool matchProbabilities(Value value, AttentionMatch &match) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
      match.softmax = softmax;
      if (auto probability =
              softmax->getAttrOfType<FloatAttr>(kDropoutAttribute)) {
        match.probability = probability.getValueAsDouble();
      }
      return true;
    }
    auto dropout = dyn_cast<DropoutOp>(op);
    if (dropout && !dropout.getFactor()) {
      match.probability = dropout.getProbability().convertToDouble();
      value = dropout.getOperand();
      continue;
    }
    auto guard = dyn_cast<SelectOp>(op);
    auto isNan =
        guard ? guard.getCondition().getDefiningOp<IsNanOp>() : IsNanOp();
    if (!isNan || isNan.getOperand() != guard.getOnFalse() ||
        getSplat(guard.getOnTrue()) != 0.0) {
      return false;
    }
    value = guard.getOnFalse();
  }
  return false;
}

bool matchScores(Value value, double scaleAfter, AttentionMatch &match);

/// The scores are one operand of `op`; `describe` makes the mask of the other.
template <typename Describe>
bool matchMasked(Operation *op, ArrayRef<unsigned> candidates,
                 double scaleAfter, AttentionMatch &match, Describe describe) {
  for (unsigned i : candidates) {
    std::optional<MaskUse> use = describe(i);
    if (use && matchScores(op->getOperand(i), scaleAfter, match)) {
      use->scaleAfter = scaleAfter;
      match.masks.push_back(*use);
      return true;
    }
  }
  return false;
}

bool matchSelected(SelectOp select, double scaleAfter, AttentionMatch &match) {
  return matchMasked(select, {1, 2}, scaleAfter, match,
                     [&](unsigned i) -> std::optional<MaskUse> {
                       std::optional<double> fill =
                           getSplat(select->getOperand(3 - i));
                       if (!fill || *fill > -1e4) {
                         return std::nullopt;
                       }
                       MaskUse use;
                       use.value = select.getCondition();
                       use.isSelection = true;
                       use.isInverted = i == 2;
                       use.fill = *fill;
                       return use;
                     });
}

/// Scores between two numbers that differ in their sign alone. What is masked
/// before is not masked any more.
bool matchBounded(TanhOp bounded, double bound, AttentionMatch &match) {
  if (match.softcap != 0 || bound == 0) {
    return false;
  }
  match.softcap = std::abs(bound);
  if (!matchScores(bounded.getOperand(), 1, match) || !match.masks.empty()) {
    match.masks.clear();
    match.softcap = 0;
    match.scale = 1;
    return false;
  }
  match.scale *= bound;
  return true;
}

/// Walks from the operand of the softmax up to the product of queries and keys.
bool matchScores(Value value, double scaleAfter, AttentionMatch &match) {
  Operation *op = value.getDefiningOp();
  if (auto product = dyn_cast_or_null<MatmulOp>(op)) {
    match.scores = product;
    match.scale *= scaleAfter;
    return true;
  }
  if (isa_and_nonnull<MulOp, DivOp>(op)) {
    for (unsigned i : {0u, 1u}) {
      std::optional<double> factor = getSplat(op->getOperand(1 - i));
      if (factor && (isa<MulOp>(op) || i == 0)) {
        return matchScores(op->getOperand(i),
                           isa<MulOp>(op) ? scaleAfter * *factor
                                          : scaleAfter / *factor,
                           match);
      }
    }
    return false;
  }
  if (auto bounded = dyn_cast_or_null<TanhOp>(op)) {
    return matchBounded(bounded, scaleAfter, match);
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    return matchSelected(select, scaleAfter, match);
  }
  if (!isa_and_nonnull<AddOp>(op)) {
    return false;
  }
  return matchMasked(op, {0, 1}, scaleAfter, match,
                     [&](unsigned i) -> std::optional<MaskUse> {
                       MaskUse use;
                       use.value = op->getOperand(1 - i);
                       return use;
                     });
}

} // namespace

bool matchAttention(AttentionMatch &match) {
  return matchProbabilities(match.root.getLhs(), match) &&
         matchScores(match.softmax.getOperand(), 1, match);
}

} // namespace accel
