// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws are dropouts of ones, so that they are placed, shared and recomputed as
// those are: the same on any number of ranks and in any microbatches.
#include "frontends/onnx/Builders/RandomDraws.h"

#include "frontends/onnx/Builders/DropoutSites.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Model/Locations.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Sites of draws until NumberDropoutSites has numbered them: apart from those
/// of dropout, and from each other.
constexpr int64_t firstDraw = int64_t(1) << 30;

bool dependsOnInputs(Value value) {
  SmallVector<Value> left{value};
  llvm::DenseSet<Value> seen{value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op) {
      return true;
    }
    for (Value operand : op->getOperands()) {
      if (seen.insert(operand).second) {
        left.push_back(operand);
      }
    }
  }
  return false;
}

/// What random numbers are multiplied with, and for which samples they are.
struct Ones {
  Value operand, samples;
};

/// Ones that lie where the elements of `like` do: they are compared with
/// themselves, which tells later passes where the samples are. A constant whose
/// size is that of an input has samples in front, if it has as many.
Ones makeOnes(NodeConversion &c, RankedTensorType type, Value like) {
  Formula f(c, type);
  Value ones = f.number(1.0);
  int64_t batch = c.state.batch, count = type.getNumElements();
  bool isData = like && dependsOnInputs(like) && count % batch == 0;
  bool isSized =
      type.getRank() > 0 && type.getDimSize(0) == batch &&
      (like ? c.state.shapedByInputs.contains(c.node.input(0)) : batch > 1);
  if (isData) {
    Formula g(c, c.typeOf(like));
    ones = f.select(g.equal(like, like), ones, f.number(2.0));
  }
  if (!isData && !isSized) {
    Value flat = c.reshape(ones, {count});
    return {flat, c.makeIntegers({0})};
  }
  bool isInFront = type.getRank() > 0 && type.getDimSize(0) % batch == 0;
  Value operand = isInFront ? ones : c.reshape(ones, {batch, count / batch});
  return {operand, getSampleIndices(c)};
}

Value makeDropout(NodeConversion &c, RankedTensorType type, Value like,
                  double probability, int64_t site, RandomFactorAttr factor) {
  Ones ones = makeOnes(c, type, like);
  Value drawn = DropoutOp::create(
      c.builder, c.loc, ones.operand.getType(), ones.operand, ones.samples,
      getSeed(c), c.builder.getF64FloatAttr(probability),
      c.builder.getI64IntegerAttr(site), /*site_offset=*/Value(), factor);
  return c.reshape(drawn, type.getShape());
}

} // namespace

Value makeRandomFactors(NodeConversion &c, RankedTensorType type,
                        RandomFactor kind, Value like) {
  if (c.state.infers) {
    return c.makeConstant(type, 1.0); // the mean, as in an evaluation
  }
  int64_t site = firstDraw + static_cast<int64_t>(c.state.randomDraws.size());
  c.state.randomDraws.push_back(getNodeName(c.node));
  return makeDropout(c, type, like, 0.0, site,
                     RandomFactorAttr::get(c.builder.getContext(), kind));
}

std::optional<double> findProbability(NodeConversion &c, Value value) {
  HostTensor known = c.state.known.isKnown(value)
                         ? c.state.known.evaluate(value)
                         : HostTensor();
  double least = 0.0, most = 1.0;
  for (int64_t e = 0; known && e < known.getNumElements(); ++e) {
    double number = toDecimal(static_cast<float>(known.getAsDouble(e)));
    least = e == 0 ? number : std::min(least, number);
    most = e == 0 ? number : std::max(most, number);
  }
  bool isOne = least == most && least > 0.0 && least < 1.0;
  return isOne ? std::optional(least) : std::nullopt;
}

Value findStochasticDepth(NodeConversion &c) {
  auto sum = c.input(0).getDefiningOp<AddOp>();
  if (!sum) {
    return {};
  }
  for (auto [drawn, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    std::optional<double> probability = c.state.uniforms.contains(drawn)
                                            ? findProbability(c, other)
                                            : std::nullopt;
    if (probability) {
      return makeBernoulli(c, c.inputType(0), *probability, drawn);
    }
  }
  return {};
}

Value findBernoulli(NodeConversion &c, ComparePredicate predicate) {
  bool isFirst = c.state.uniforms.contains(c.input(0));
  Value drawn = c.input(isFirst ? 0 : 1), other = c.input(isFirst ? 1 : 0);
  bool isOrder =
      predicate != ComparePredicate::EQ && predicate != ComparePredicate::NE;
  if (!isOrder || !c.state.uniforms.contains(drawn) ||
      c.typeOf(other).getRank() > c.typeOf(drawn).getRank()) {
    return {};
  }
  std::optional<double> number = findProbability(c, other);
  if (!number) {
    return {};
  }
  bool isBelow =
      predicate == ComparePredicate::LT || predicate == ComparePredicate::LE;
  double probability = isBelow == isFirst ? *number : 1.0 - *number;
  RankedTensorType type = c.typeOf(drawn).clone(c.builder.getF32Type());
  Value kept = makeBernoulli(c, type, probability, drawn);
  Formula f(c, type);
  Value isKept = f.compare(ComparePredicate::GT, kept, f.number(0.0));
  c.state.bernoullis[isKept] = kept;
  return isKept;
}

Value makeBernoulli(NodeConversion &c, RankedTensorType type,
                    double probability, Value like) {
  auto [dropped, site] =
      addDropoutSite(c, toDecimal(static_cast<float>(1.0 - probability)),
                     /*attention=*/false);
  Value drawn = c.makeConstant(type, probability);
  if (dropped > 0.0) {
    Value kept = makeDropout(c, type, like, dropped, site,
                             /*factor=*/RandomFactorAttr());
    drawn = Formula(c, type).mul(kept, drawn);
  }
  c.state.drawnWith[drawn] = probability;
  return drawn;
}

FailureOr<Value> findAlphaDropout(NodeConversion &c) {
  bool isFirst = c.state.drawnWith.contains(c.input(0));
  Value drawn = c.input(isFirst ? 0 : 1), other = c.input(isFirst ? 1 : 0);
  auto found = c.state.drawnWith.find(drawn);
  if (found == c.state.drawnWith.end() || !c.state.known.isKnown(other) ||
      c.typeOf(other).getNumElements() != 1 ||
      c.typeOf(other).getRank() > c.typeOf(drawn).getRank()) {
    return Value();
  }
  // Section 4 of Klambauer et al., "Self-Normalizing Neural Networks" (2017),
  // with alpha x lambda of SELU.
  constexpr double kAlpha = 1.7580993408473766;
  double kept = found->second, dropped = 1.0 - kept;
  double factor = 1.0 / std::sqrt((kAlpha * kAlpha * dropped + 1.0) * kept);
  double number = c.state.known.evaluate(other).getAsDouble(0);
  if (std::abs(number - factor) > 1e-6 * factor) {
    return Value();
  }
  if (c.state.dropout.kind == DropoutPolicy::Kind::Probability) {
    return c.error() << "--dropout: expected model or off for a model with "
                        "AlphaDropout, got a probability, to which the "
                        "numbers beside it in the file do not belong";
  }
  Formula f(c, c.typeOf(drawn));
  Value isMean = f.equal(drawn, f.number(kept));
  return f.select(isMean, f.number(1.0), f.scale(number, drawn));
}

} // namespace accel::onnx
