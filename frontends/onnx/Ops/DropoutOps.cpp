// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout as both exporters write it: ratio and training mode are inputs, and
// only a constant true trains.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/DropoutSites.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Locations.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The number in input `i`, or `otherwise` if the input is absent.
FailureOr<double> getNumberOr(NodeConversion &c, size_t i, double otherwise) {
  return c.hasInput(i) ? c.getConstantNumber(i) : FailureOr<double>(otherwise);
}

/// The softmax whose probabilities `value` are, through the guard of a safe
/// softmax.
SoftmaxOp findSoftmax(Value value) {
  auto guard = value.getDefiningOp<SelectOp>();
  if (guard && guard.getCondition().getDefiningOp<IsNanOp>()) {
    value = guard.getOnFalse();
  }
  return value.getDefiningOp<SoftmaxOp>();
}

} // namespace

LogicalResult convertDropout(NodeConversion &c) {
  FailureOr<double> given = getNumberOr(c, 1, 0.5);
  FailureOr<double> training = getNumberOr(c, 2, 0.0);
  if (failed(given) || failed(training)) {
    return failure();
  }
  const double ratio = *given;
  if (!(ratio >= 0.0 && ratio < 1.0)) {
    return c.error() << "expected a ratio in [0, 1), got " << ratio;
  }
  c.setResult(0, c.input(0));
  if (c.isResultUsed(1) && (*training == 0.0 || ratio == 0.0)) {
    // Nothing is dropped.
    c.setResult(
        1, c.makeConstant(c.inputType(0).clone(c.builder.getI1Type()), 1.0));
  }
  // Attention's own node, if the exporter wrote one, repeats what stands on its
  // softmax.
  if (findAttentionDropout(c.node) > 0.0) {
    return success();
  }
  // TorchScript writes the dropout of scaled_dot_product_attention, which a
  // model passes while it trains only, without the mode.
  SoftmaxOp softmax = c.hasInput(2) ? SoftmaxOp() : findSoftmax(c.input(0));
  if (softmax && ratio > 0.0) {
    markAttentionDropout(c, softmax, ratio);
    return success();
  }
  if (*training == 0.0 || ratio == 0.0) {
    c.state.idleDropouts.push_back(getNodeName(c.node));
    return success();
  }
  RankedTensorType type = c.inputType(0);
  auto [probability, number] = addDropoutSite(c, ratio, /*attention=*/false);
  if (probability == 0.0) {
    return success();
  }
  if (type.getNumElements() % c.state.batch != 0 ||
      !isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a float tensor of as many elements for each "
                        "of the "
                     << c.state.batch << " samples, got " << type;
  }
  // As if samples came first, which is all that one operation can know;
  // PlaceDropout moves them there.
  int64_t batch = c.state.batch;
  bool isInParts = type.getRank() > 0 && type.getDimSize(0) % batch == 0;
  Value operand =
      isInParts ? c.input(0)
                : c.reshape(c.input(0), {batch, type.getNumElements() / batch});
  Value seed = getSeed(c), samples = getSampleIndices(c);
  Value dropped =
      DropoutOp::create(c.builder, c.loc, operand.getType(), operand, samples,
                        seed, c.builder.getF64FloatAttr(probability),
                        c.builder.getI64IntegerAttr(number),
                        /*site_offset=*/Value(), /*factor=*/RandomFactorAttr());
  c.setResult(0, isInParts ? dropped : c.reshape(dropped, type.getShape()));
  return success();
}

} // namespace accel::onnx
