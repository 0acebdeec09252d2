// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows times weights, summed.
#include "frontends/onnx/Builders/DepthwiseConvolution.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"

using namespace mlir;

namespace accel::onnx {

Value storeWeights(const NodeConversion &c, Value weights,
                   ArrayRef<int64_t> order) {
  RankedTensorType type = c.typeOf(weights);
  SmallVector<int64_t> shape;
  for (int64_t dimension : order) {
    shape.push_back(type.getDimSize(dimension));
  }
  return TransposeOp::create(c.builder, c.loc, type.clone(shape), weights,
                             order, /*stored=*/true);
}

/// (c, k...) as a view of weights that lie as (k..., c): those of one element
/// of the window beside each other, as the channels do that they multiply.
static Value lieByElement(const NodeConversion &c, Value weights) {
  int64_t rank = c.typeOf(weights).getRank();
  SmallVector<int64_t> last = axisRange(1, rank), first{rank - 1};
  last.push_back(0);
  llvm::append_range(first, axisRange(0, rank - 1));
  return c.transpose(storeWeights(c, weights, last), first);
}

Value convolveEach(const NodeConversion &c, Value input, Value weights,
                   ArrayRef<WindowAxis> axes) {
  int64_t rank = axes.size() + 2;
  Value windows = makeWindows(c, input, axes);
  RankedTensorType type = c.typeOf(windows);
  Value wide =
      BroadcastOp::create(c.builder, c.loc, type, lieByElement(c, weights),
                          axisRange(rank - 1, type.getRank()));
  Value products = MulOp::create(c.builder, c.loc, type, windows, wide);
  return ReduceSumOp::create(c.builder, c.loc,
                             type.clone(type.getShape().drop_back(axes.size())),
                             products, axisRange(rank, type.getRank()));
}

} // namespace accel::onnx
