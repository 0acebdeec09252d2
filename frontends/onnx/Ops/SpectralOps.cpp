// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of Fourier transforms: products with a constant matrix, whose
// elements are computed in double. Real and imaginary parts are elements like
// others, so gradients are those of products.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/ChannelsLast.h"
#include "frontends/onnx/Builders/ExactProduct.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Of signals of `length` numbers, of which the first `inputs` are given, with
/// `inputParts` parts each: 1 if they are real, 2 if they are complex.
struct Transform {
  int64_t length = 0, inputs = 0, inputParts = 2;
  bool isInverse = false;
  /// Half of a spectrum stands for all of it, because the signal is real.
  bool isOnesided = false;

  int64_t outputs() const {
    return isOnesided && !isInverse ? length / 2 + 1 : length;
  }
  int64_t outputParts() const { return isOnesided && isInverse ? 1 : 2; }
  /// (inputs, input parts, outputs, output parts)
  SmallVector<int64_t> shape() const {
    return {inputs, inputParts, outputs(), outputParts()};
  }
};

/// exp(2 pi i turns / length), backwards unless the transform is an inverse:
/// the real and the imaginary part. Quarters of a turn are exact.
std::pair<double, double> getRotation(const Transform &transform,
                                      int64_t turns) {
  int64_t length = transform.length, turn = turns % length;
  if (!transform.isInverse && turn > 0) {
    turn = length - turn;
  }
  constexpr double quarters[] = {1, 0, -1, 0};
  if (4 * turn % length == 0) {
    int64_t quarter = 4 * turn / length;
    return {quarters[quarter], quarters[(quarter + 3) % 4]};
  }
  double angle = 2 * std::numbers::pi * static_cast<double>(turn) /
                 static_cast<double>(length);
  return {std::cos(angle), std::sin(angle)};
}

/// What input `n` weighs: an inverse is a mean, and a number of half a spectrum
/// stands for its mirror image, too, if there is one.
double getWeight(const Transform &transform, int64_t n) {
  double mean =
      transform.isInverse ? 1.0 / static_cast<double>(transform.length) : 1.0;
  bool isMirrored = transform.isInverse && transform.isOnesided && n > 0 &&
                    2 * n != transform.length;
  return isMirrored ? 2 * mean : mean;
}

/// The matrix that multiplies rows of inputs, of `shape()`.
FailureOr<Value> makeMatrix(NodeConversion &c, const Transform &transform,
                            Type element) {
  constexpr int64_t kLongest = int64_t(1) << 31;
  bool exists = transform.length >= 1 && transform.length <= kLongest;
  RankedTensorType type;
  if (exists) {
    type = RankedTensorType::get(transform.shape(), element);
  }
  if (!exists || !fitsHost(type, kMaxKnownElements)) {
    return c.error() << "expected a transform whose matrix has at most "
                     << kMaxKnownElements << " elements, got one of "
                     << transform.length
                     << " numbers: cut the signal into shorter ones";
  }
  std::vector<double> elements;
  elements.reserve(type.getNumElements());
  for (int64_t n = 0; n < transform.inputs; ++n) {
    double weight = getWeight(transform, n);
    for (int64_t part = 0; part < transform.inputParts; ++part) {
      for (int64_t k = 0; k < transform.outputs(); ++k) {
        auto [real, imaginary] = getRotation(transform, n * k);
        // An imaginary input is a real one times i.
        elements.push_back(weight * (part == 0 ? real : 0.0 - imaginary));
        if (transform.outputParts() == 2) {
          elements.push_back(weight * (part == 0 ? imaginary : real));
        }
      }
    }
  }
  HostTensor matrix(type, std::move(elements));
  return ConstantOp::create(c.builder, c.loc, matrix.toAttribute()).getResult();
}

/// Whether the last dimension of `type` has parts of numbers.
bool hasParts(RankedTensorType type, int64_t rank) {
  return type.getRank() >= rank && isa<FloatType>(type.getElementType()) &&
         (type.getShape().back() == 1 || type.getShape().back() == 2);
}

/// Rows (rest.., inputs and their parts in the order of the matrix) times the
/// matrix of two dimensions; (rest.., outputs, output parts).
Value multiply(NodeConversion &c, Value rows, Value matrix,
               const Transform &transform) {
  RankedTensorType type = c.typeOf(rows);
  SmallVector<int64_t> shape(type.getShape().drop_back());
  int64_t summed = transform.inputs * transform.inputParts;
  int64_t columns = transform.outputs() * transform.outputParts();
  int64_t count = llvm::product_of(shape);
  Value lhs = c.reshape(rows, {count, summed});
  Value rhs = c.reshape(matrix, {summed, columns});
  Value product = makeExactProduct(c, {count, columns}, lhs, rhs,
                                   /*transposeRhs=*/false);
  shape.append({transform.outputs(), transform.outputParts()});
  return c.reshape(product, shape);
}

/// The dimension, which is an attribute before set 20 and an input from then
/// on.
FailureOr<int64_t> getDftAxis(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  int64_t axis = c.opset() < 20 ? c.getInt("axis", 1) : -2;
  if (c.hasInput(2)) {
    FailureOr<int64_t> given = c.getConstantInt(2);
    if (failed(given)) {
      return failure();
    }
    axis = *given;
  }
  FailureOr<int64_t> counted = c.normalizeAxis(axis, rank);
  if (succeeded(counted) && *counted == rank - 1) {
    return c.error() << "expected a dimension in front of the one of real and "
                        "imaginary parts, got "
                     << axis;
  }
  return counted;
}

FailureOr<Transform> getTransform(NodeConversion &c, int64_t axis) {
  RankedTensorType type = c.inputType(0);
  Transform transform;
  transform.inputParts = type.getShape().back();
  transform.isInverse = c.getInt("inverse", 0) != 0;
  transform.isOnesided = c.getInt("onesided", 0) != 0;
  if (transform.isOnesided && !transform.isInverse &&
      transform.inputParts != 1) {
    return c.error() << "expected a real signal for half a spectrum, got "
                     << type;
  }
  int64_t size = type.getDimSize(axis);
  bool isHalf = transform.isInverse && transform.isOnesided;
  transform.length = isHalf ? 2 * (size - 1) : size;
  if (c.hasInput(1)) {
    FailureOr<int64_t> length = c.getConstantInt(1);
    if (failed(length)) {
      return failure();
    }
    transform.length = *length;
  }
  // What is beyond the input is zero.
  transform.inputs =
      std::min(size, isHalf ? transform.length / 2 + 1 : transform.length);
  return transform;
}

/// The integer in input `i`, from 1 on, or `otherwise`.
FailureOr<int64_t> getSize(NodeConversion &c, size_t i, int64_t otherwise) {
  FailureOr<int64_t> size = otherwise;
  if (c.hasInput(i)) {
    size = c.getConstantInt(i);
  }
  if (succeeded(size) && *size < 1) {
    return c.error() << "expected 1 or more as input " << i << ", got "
                     << *size;
  }
  return size;
}

/// The frames of input 0.
FailureOr<WindowAxis> getFrames(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  int64_t samples = type.getDimSize(1);
  bool hasWindow = c.hasInput(2);
  if (hasWindow && c.inputType(2).getRank() != 1) {
    return c.error() << "expected a window of one dimension, got "
                     << c.inputType(2);
  }
  int64_t whole = hasWindow ? c.inputType(2).getDimSize(0) : samples;
  FailureOr<int64_t> step = getSize(c, 1, 1), length = getSize(c, 3, whole);
  if (failed(step) || failed(length)) {
    return failure();
  }
  if (*length > samples || (hasWindow && *length != whole)) {
    return c.error() << "expected frames that are as long as the window, and "
                        "not longer than the signal of "
                     << samples << " numbers, got " << *length;
  }
  WindowAxis frames{samples, *length, *step};
  frames.count = (samples - *length) / *step + 1;
  return frames;
}

} // namespace

LogicalResult convertDft(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (!hasParts(type, 2)) {
    return c.error() << "expected floats with 1 or 2 parts in the last "
                        "dimension, got "
                     << type;
  }
  FailureOr<int64_t> axis = getDftAxis(c);
  if (failed(axis)) {
    return failure();
  }
  FailureOr<Transform> transform = getTransform(c, *axis);
  if (failed(transform)) {
    return failure();
  }
  FailureOr<Value> matrix = makeMatrix(c, *transform, type.getElementType());
  if (failed(matrix)) {
    return failure();
  }
  // The dimension stands in front of the parts.
  int64_t rank = type.getRank();
  SmallVector<int64_t> order = axisRange(0, rank), zeros(rank, 0),
                       ones(rank, 1), given(type.getShape());
  order.erase(order.begin() + *axis);
  order.insert(order.end() - 1, *axis);
  given[*axis] = transform->inputs;
  Value signal = c.transpose(c.slice(c.input(0), zeros, given, ones), order);
  SmallVector<int64_t> rows(c.typeOf(signal).getShape().drop_back(2));
  rows.push_back(transform->inputs * transform->inputParts);
  Value result = multiply(c, c.reshape(signal, rows), *matrix, *transform);
  c.setResult(0, c.transpose(result, invertPermutationVector(order)));
  return success();
}

LogicalResult convertStft(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  Transform transform;
  transform.isOnesided = c.getInt("onesided", 1) != 0;
  if (!hasParts(type, 3) || type.getRank() != 3 ||
      (transform.isOnesided && type.getDimSize(2) != 1)) {
    return c.error() << "expected signals (n, length, 1) of floats, or "
                        "(n, length, 2) with onesided = 0, got "
                     << type;
  }
  FailureOr<WindowAxis> frames = getFrames(c);
  if (failed(frames)) {
    return failure();
  }
  transform.length = transform.inputs = frames->size;
  transform.inputParts = type.getDimSize(2);
  FailureOr<Value> matrix = makeMatrix(c, transform, type.getElementType());
  if (failed(matrix)) {
    return failure();
  }
  // The window multiplies frames, or, once, the matrix.
  if (c.hasInput(2)) {
    Formula f(c, c.typeOf(*matrix));
    Value window = BroadcastOp::create(
        c.builder, c.loc, c.typeOf(*matrix),
        c.cast(c.input(2), type.getElementType()), ArrayRef<int64_t>{0});
    matrix = f.mul(*matrix, window);
  }
  // (n, frames, parts, numbers), as windows are.
  Value windows = makeWindows(c, c.input(0), *frames);
  SmallVector<int64_t> rows(c.typeOf(windows).getShape().take_front(2));
  rows.push_back(transform.inputs * transform.inputParts);
  c.setResult(0, multiply(c, c.reshape(windows, rows),
                          c.transpose(*matrix, {1, 0, 2, 3}), transform));
  return success();
}

} // namespace accel::onnx
