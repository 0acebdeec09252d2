// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout as both exporters write it: ratio and training mode are inputs, and only a constant true trains.
#include "frontends/onnx/Broadcasting.h"
#include "frontends/onnx/DropoutSites.h"
#include "frontends/onnx/Locations.h"
#include "frontends/onnx/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
LogicalResult convertDropout(NodeConversion &c) {
  double ratio = 0.5;
  if (c.hasInput(1)) {
    FailureOr<double> given = c.getConstantNumber(1);
    if (failed(given)) {
      return failure();
    }
    ratio = *given;
  }
  bool training = false;
  if (c.hasInput(2)) {
    FailureOr<double> given = c.getConstantNumber(2);
    if (failed(given)) {
      return failure();
    }
    training = *given != 0.0;
  }
  if (!(ratio >= 0.0 && ratio < 1.0)) {
    return c.error() << "expected a ratio in [0, 1), got " << ratio;
  }
  c.setResult(0, c.input(0));
  // Attention's own node, if the exporter wrote one, repeats what stands on its softmax.
  if (findAttentionDropout(c.node) > 0.0) {
    return success();
  }
  if (!training || ratio == 0.0) {
    c.state.idleDropouts.push_back(getNodeName(c.node));
    return success();
  }
  RankedTensorType type = c.inputType(0);
  auto [probability, number] = addDropoutSite(c, ratio, /*attention=*/false);
  if (probability == 0.0) {
    return success();
  }
  if (type.getRank() == 0 || type.getDimSize(0) % c.state.batch != 0 || !isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a float tensor whose first dimension is a multiple of the batch (" << c.state.batch << "), got " << type;
  }
  c.setResult(0, DropoutOp::create(c.builder, c.loc, type, c.input(0), getSampleIndices(c), getSeed(c), c.builder.getF64FloatAttr(probability),
                                   c.builder.getI64IntegerAttr(number)));
  return success();
}

} // namespace accel::onnx
