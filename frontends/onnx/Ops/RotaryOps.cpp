// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's RotaryEmbedding (operator set 23): pairs of features turned by the
// angle of their position.
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// `value[.., offset : : stride]` with `size` elements.
Value sliceLast(NodeConversion &c, Value value, int64_t offset, int64_t size,
                int64_t stride) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  offsets.back() = offset;
  strides.back() = stride;
  shape.back() = size;
  return c.slice(value, offsets, shape, strides);
}

Value concatLast(NodeConversion &c, Value first, Value second) {
  return c.concat({first, second}, c.typeOf(first).getRank() - 1);
}

/// (b, t, h, d), whichever layout the node has.
FailureOr<Value> separateHeads(NodeConversion &c) {
  ArrayRef<int64_t> shape = c.inputType(0).getShape();
  if (shape.size() == 4) {
    return c.transpose(c.input(0), {0, 2, 1, 3});
  }
  int64_t heads = c.getInt("num_heads", 0);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    return c.error() << "expected a 4-D input, or a 3-D one whose last "
                        "dimension is a multiple of num_heads = "
                     << heads << ", got " << c.inputType(0);
  }
  return c.reshape(c.input(0), {shape[0], shape[1], heads, shape[2] / heads});
}

/// Input `i`, cosines or sines, as (b, t, h, half): rows of the positions
/// where the node has any.
FailureOr<Value> makeTable(NodeConversion &c, size_t i,
                           ArrayRef<int64_t> shape) {
  RankedTensorType type = c.inputType(i);
  SmallVector<int64_t> wanted{shape[0], shape[1], shape[3]};
  bool byPosition = c.hasInput(3);
  bool fits =
      type.getElementType() == c.inputType(0).getElementType() &&
      (byPosition ? type.getRank() == 2 && type.getDimSize(1) == shape[3] &&
                        c.inputType(3).getShape() == shape.take_front(2)
                  : type.getShape() == ArrayRef<int64_t>(wanted));
  if (!fits) {
    return c.error() << "expected "
                     << (byPosition ? "rows of " : "a table of type ")
                     << c.inputType(0).clone(
                            byPosition ? ArrayRef<int64_t>(shape[3]) : wanted)
                     << (byPosition ? " and positions of shape (batch, length)"
                                    : "")
                     << ", got " << type;
  }
  Value table = c.input(i);
  if (byPosition) {
    table = GatherOp::create(c.builder, c.loc, type.clone(wanted), table,
                             c.input(3));
  }
  return BroadcastOp::create(c.builder, c.loc, type.clone(shape), table,
                             ArrayRef<int64_t>{0, 1, 3})
      .getResult();
}

/// The two halves side by side, or their elements in turn.
Value joinPairs(NodeConversion &c, Value first, Value second) {
  if (!c.getInt("interleaved", 0)) {
    return concatLast(c, first, second);
  }
  SmallVector<int64_t> shape(c.typeOf(first).getShape()), column = shape;
  column.push_back(1);
  shape.back() *= 2;
  return c.reshape(
      concatLast(c, c.reshape(first, column), c.reshape(second, column)),
      shape);
}

/// The first `size` features of `x`, turned.
FailureOr<Value> rotate(NodeConversion &c, Value x, int64_t size) {
  bool inTurn = c.getInt("interleaved", 0) != 0;
  int64_t half = size / 2, stride = inTurn ? 2 : 1;
  Value first = sliceLast(c, x, 0, half, stride),
        second = sliceLast(c, x, inTurn ? 1 : half, half, stride);
  RankedTensorType type = c.typeOf(first);
  FailureOr<Value> cosines = makeTable(c, 1, type.getShape());
  FailureOr<Value> sines = failed(cosines) ? FailureOr<Value>(failure())
                                           : makeTable(c, 2, type.getShape());
  if (failed(sines)) {
    return failure();
  }
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return MulOp::create(c.builder, c.loc, type, lhs, rhs);
  };
  Value real = SubOp::create(c.builder, c.loc, type, multiply(*cosines, first),
                             multiply(*sines, second)),
        imaginary =
            AddOp::create(c.builder, c.loc, type, multiply(*sines, first),
                          multiply(*cosines, second));
  return joinPairs(c, real, imaginary);
}

} // namespace

LogicalResult convertRotaryEmbedding(NodeConversion &c) {
  if (!isa<FloatType>(c.inputType(0).getElementType())) {
    return c.error() << "expected a float tensor, got " << c.inputType(0);
  }
  FailureOr<Value> x = separateHeads(c);
  if (failed(x)) {
    return failure();
  }
  int64_t features = c.typeOf(*x).getShape().back(),
          size = c.getInt("rotary_embedding_dim", 0);
  size = size == 0 ? features : size;
  if (size < 2 || size > features || size % 2 != 0) {
    return c.error() << "expected an even rotary_embedding_dim from 2 to the "
                     << "head size " << features << ", got " << size;
  }
  FailureOr<Value> result = rotate(c, *x, size);
  if (failed(result)) {
    return failure();
  }
  if (size < features) {
    result = concatLast(c, *result, sliceLast(c, *x, size, features - size, 1));
  }
  c.setResult(0, c.inputType(0).getRank() == 4
                     ? c.transpose(*result, {0, 2, 1, 3})
                     : c.reshape(*result, c.inputType(0).getShape()));
  return success();
}

} // namespace accel::onnx
