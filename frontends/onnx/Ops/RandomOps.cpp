// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that draw random numbers. The attribute `seed` is not
// read: the run's seed decides, as for dropout.
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/RandomDraws.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The element type that the node asks for, by default `otherwise`.
FailureOr<Type> getDrawnType(NodeConversion &c, Type otherwise) {
  int64_t code = c.getInt("dtype", 0);
  Type type = code == 0 ? otherwise
                        : getElementType(*c.builder.getContext(),
                                         static_cast<int32_t>(code));
  if (!type || !isa<FloatType>(type)) {
    return c.error() << "expected random numbers of a float type, got dtype "
                     << code;
  }
  return type;
}

/// The numbers of a distribution over a tensor of `shape`.
LogicalResult setDrawn(NodeConversion &c, ArrayRef<int64_t> shape,
                       Type otherwise, Value like) {
  FailureOr<Type> element = getDrawnType(c, otherwise);
  if (failed(element)) {
    return failure();
  }
  auto type = RankedTensorType::get(shape, c.builder.getF32Type());
  Formula f(c, type);
  Value drawn;
  if (StringRef(c.node.op_type()).starts_with("RandomUniform")) {
    double low = c.getFloat("low", 0.0), high = c.getFloat("high", 1.0);
    drawn = f.scale((high - low) / 2.0,
                    makeRandomFactors(c, type, RandomFactor::Uniform, like));
    drawn = low == 0.0 ? drawn : f.add(drawn, f.number(low));
  } else {
    double mean = c.getFloat("mean", 0.0), scale = c.getFloat("scale", 1.0);
    drawn = f.sub(makeRandomFactors(c, type, RandomFactor::Normal, like),
                  f.number(1.0));
    drawn = scale == 1.0 ? drawn : f.scale(scale, drawn);
    drawn = mean == 0.0 ? drawn : f.add(drawn, f.number(mean));
  }
  Value result = c.cast(drawn, *element);
  bool isUnit = StringRef(c.node.op_type()).starts_with("RandomUniform") &&
                c.getFloat("low", 0.0) == 0.0 && c.getFloat("high", 1.0) == 1.0;
  if (isUnit) {
    c.state.uniforms.insert(result);
  }
  c.setResult(0, result);
  return success();
}

} // namespace

LogicalResult convertRandom(NodeConversion &c) {
  SmallVector<int64_t> shape =
      c.getInts("shape").value_or(SmallVector<int64_t>());
  if (llvm::any_of(shape, [](int64_t size) { return size <= 0; })) {
    return c.error() << "expected a shape of positive sizes, got another";
  }
  return setDrawn(c, shape, c.builder.getF32Type(), Value());
}

LogicalResult convertRandomLike(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  return setDrawn(c, type.getShape(), type.getElementType(), c.input(0));
}

/// With one known probability it is a site of dropout, else numbers below the
/// probabilities.
LogicalResult convertBernoulli(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  int64_t code = c.getInt("dtype", 0);
  Type element = code == 0 ? type.getElementType()
                           : getElementType(*c.builder.getContext(),
                                            static_cast<int32_t>(code));
  if (!isa<FloatType>(type.getElementType()) || !element) {
    return c.error() << "expected float probabilities and a dtype that the "
                        "importer knows, got "
                     << type << " and " << code;
  }
  auto single = type.clone(c.builder.getF32Type());
  if (std::optional<double> probability = findProbability(c, c.input(0))) {
    Value drawn = makeBernoulli(c, single, *probability, c.input(0));
    c.setResult(0, c.cast(drawn, element));
    return success();
  }
  Formula f(c, single);
  Value uniform = f.scale(
      0.5, makeRandomFactors(c, single, RandomFactor::Uniform, c.input(0)));
  Value isLess = f.less(uniform, c.cast(c.input(0), c.builder.getF32Type()));
  c.setResult(0, c.cast(isLess, element));
  return success();
}

} // namespace accel::onnx
