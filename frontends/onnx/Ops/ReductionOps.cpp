// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of reductions: a sum, a maximum or a minimum, with arithmetic in
// front and behind.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/PNorm.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Metadata.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Axes came as an attribute before operator set 13 (ReduceSum) and 18 (the
/// others), as an input since.
FailureOr<SmallVector<int64_t>> getAxes(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  SmallVector<int64_t> axes;
  if (std::optional<SmallVector<int64_t>> attribute = c.getInts("axes")) {
    axes = *attribute;
  } else if (c.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> input = c.getConstantInts(1);
    if (failed(input)) {
      return failure();
    }
    axes = *input;
  }
  if (axes.empty() && !c.getInt("noop_with_empty_axes", 0)) {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  FailureOr<SmallVector<int64_t>> normalized = c.normalizeAxes(axes, rank);
  if (succeeded(normalized)) {
    llvm::sort(*normalized);
  }
  return normalized;
}

/// What an operator reduces over: the dimensions `axes` of `type`.
struct Reduction {
  RankedTensorType type;
  ArrayRef<int64_t> axes;
  SmallVector<int64_t> reduced, kept; ///< the shape without them, or as 1
  double count = 1;                   ///< elements that become one

  Reduction(RankedTensorType type, ArrayRef<int64_t> axes)
      : type(type), axes(axes) {
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      bool gone = llvm::is_contained(axes, dim);
      kept.push_back(gone ? 1 : size);
      if (gone) {
        count *= static_cast<double>(size);
      } else {
        reduced.push_back(size);
      }
    }
  }

  /// `value` itself if there is nothing to reduce over.
  template <typename Op, typename... Flags>
  Value make(const NodeConversion &c, Value value, Flags... flags) const {
    RankedTensorType whole = type;
    return axes.empty()
               ? value
               : Value(Op::create(c.builder, c.loc, whole.clone(reduced), value,
                                  axes, flags...));
  }
};

/// The root of a sum of squares, with the gradient 0 where it is 0, as PyTorch
/// has it, and not infinity times 0.
Value makeNorm(const NodeConversion &c, Value squares) {
  Formula f(c, c.typeOf(squares));
  Value isZero = f.equal(squares, f.number(0));
  Value root = f.sqrt(f.select(isZero, f.number(1), squares));
  return f.select(isZero, f.number(0), root);
}

/// The logarithm of a sum of exponentials that cannot overflow. Beside an
/// infinite maximum nothing is subtracted, as that would leave no number: rows
/// of -inf have -inf.
Value makeLogSumExp(const NodeConversion &c, const Reduction &reduction,
                    Value value) {
  Value largest = reduction.make<ReduceMaxOp>(c, value);
  Formula row(c, c.typeOf(largest));
  Value isFinite =
      row.compare(ComparePredicate::LT, row.abs(largest), row.number(INFINITY));
  largest = row.select(isFinite, largest, row.number(0));
  Value wide = broadcastTo(c, c.reshape(largest, reduction.kept),
                           reduction.type.getShape());
  Formula f(c, reduction.type);
  Value sum = reduction.make<ReduceSumOp>(c, f.exp(f.sub(value, wide)));
  return f.add(largest, f.log(sum));
}

/// The product over the reduced dimensions, half by half: products have a
/// gradient that sums and logarithms would spoil where a factor is 0.
Value makeProduct(const NodeConversion &c, const Reduction &reduction,
                  Value value) {
  int64_t rank = reduction.type.getRank();
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!llvm::is_contained(reduction.axes, dim)) {
      order.push_back(dim);
    }
  }
  llvm::append_range(order, reduction.axes);
  auto length = static_cast<int64_t>(reduction.count);
  int64_t rows = 1;
  for (int64_t size : reduction.reduced) {
    rows *= size;
  }
  Value factors = c.reshape(c.transpose(value, order), {rows, length});
  auto take = [&](int64_t begin, int64_t size) {
    return c.slice(factors, {0, begin}, {rows, size}, {1, 1});
  };
  while (length > 1) {
    int64_t half = length / 2;
    Value products =
        MulOp::create(c.builder, c.loc, take(0, half), take(half, half));
    factors = length % 2 == 0 ? products
                              : c.concat({products, take(length - 1, 1)}, 1);
    length = half + length % 2;
  }
  return c.reshape(factors, reduction.reduced);
}

/// Whether the first of several largest elements has all of the gradient: where
/// PyTorch gives its place, too, or takes it of a window.
bool takesFirst(const NodeConversion &c) {
  std::optional<FxCall> call = getFxCall(c.node);
  if (!call) {
    return false;
  }
  bool isAlongOne = call->arguments.size() > 1 && call->isAten({"max", "min"});
  return isAlongOne ||
         call->isAten({"adaptive_max_pool1d", "adaptive_max_pool2d",
                       "adaptive_max_pool3d"});
}

Value negate(const NodeConversion &c, Value value) {
  return NegOp::create(c.builder, c.loc, value.getType(), value);
}

/// Null for an operator that has no case here.
Value makeReduction(const NodeConversion &c, const Reduction &reduction,
                    Value value) {
  StringRef name = c.node.op_type();
  Formula f(c, reduction.type);
  auto sum = [&](Value terms) { return reduction.make<ReduceSumOp>(c, terms); };
  if (name == "ReduceMax") {
    return reduction.make<ReduceMaxOp>(c, value, takesFirst(c));
  }
  if (name == "ReduceMin") {
    return takesFirst(c) ? negate(c, reduction.make<ReduceMaxOp>(
                                         c, negate(c, value), /*first=*/true))
                         : reduction.make<ReduceMinOp>(c, value);
  }
  if (name == "ReduceSum") {
    return sum(value);
  }
  if (name == "ReduceMean") {
    Value total = sum(value);
    return f.div(total, c.makeConstant(c.typeOf(total), reduction.count));
  }
  if (name == "ReduceL1") {
    return sum(f.abs(value));
  }
  if (name == "ReduceL2") {
    return makeNorm(c, sum(f.mul(value, value)));
  }
  if (name == "ReduceSumSquare") {
    return sum(f.mul(value, value));
  }
  if (name == "ReduceLogSum") {
    return f.log(sum(value));
  }
  if (name == "ReduceProd") {
    return reduction.count == 0
               ? c.makeConstant(reduction.type.clone(reduction.reduced), 1.0)
               : makeProduct(c, reduction, value);
  }
  if (name == "ReduceLogSumExp") {
    return makeLogSumExp(c, reduction, value);
  }
  return nullptr;
}

/// Operators whose arithmetic the dialect has for floats only.
bool needsFloats(StringRef name) {
  return name == "ReduceL1" || name == "ReduceL2" || name == "ReduceLogSum" ||
         name == "ReduceLogSumExp";
}

} // namespace

LogicalResult convertReduce(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> axes = getAxes(c);
  if (failed(axes)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  bool floats = isa<FloatType>(type.getElementType());
  bool isBoolean = type.getElementType().isInteger(1);
  StringRef name = c.node.op_type();
  if (isBoolean && (name == "ReduceMax" || name == "ReduceMin")) {
    // Whether some is true, or all are.
    type = type.clone(c.builder.getI32Type());
    isBoolean = false;
  }
  if (isBoolean || (needsFloats(c.node.op_type()) && !floats)) {
    return c.error() << "expected " << (floats ? "numbers" : "floats")
                     << ", got " << type;
  }
  Reduction reduction(type, *axes);
  Value result =
      makeReduction(c, reduction, c.cast(c.input(0), type.getElementType()));
  if (!result) {
    return c.error() << "expected a reduction that its converter has a case "
                        "for, got '"
                     << c.node.op_type()
                     << "': add the case to ReductionOps.cpp";
  }
  if (c.inputType(0).getElementType().isInteger(1)) {
    // Of none the largest is below 0.
    Formula f(c, c.typeOf(result));
    result = f.greater(result, f.number(0));
  }
  c.setResult(0, c.getInt("keepdims", 1) ? c.reshape(result, reduction.kept)
                                         : result);
  return success();
}

/// All dimensions of a pool's input but samples and channels.
static FailureOr<SmallVector<int64_t>> getPlaceAxes(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 3 || !isa<FloatType>(type.getElementType())) {
    return c.error() << "expected floats of samples, channels and at least one "
                        "further dimension, got "
                     << type;
  }
  return llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
}

LogicalResult convertGlobalLpPool(NodeConversion &c) {
  FailureOr<int64_t> p = getNormOrder(c);
  FailureOr<SmallVector<int64_t>> axes = getPlaceAxes(c);
  if (failed(p) || failed(axes)) {
    return failure();
  }
  Reduction reduction(c.inputType(0), *axes);
  Value sum = reduction.make<ReduceSumOp>(c, raiseSize(c, c.input(0), *p));
  c.setResult(0, c.reshape(takeRoot(c, sum, *p), reduction.kept));
  return success();
}

LogicalResult convertGlobalMaxPool(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> axes = getPlaceAxes(c);
  if (failed(axes)) {
    return failure();
  }
  Reduction reduction(c.inputType(0), *axes);
  Value largest = reduction.make<ReduceMaxOp>(c, c.input(0), /*first=*/true);
  c.setResult(0, c.reshape(largest, reduction.kept));
  return success();
}

LogicalResult convertGlobalAveragePool(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> axes = getPlaceAxes(c);
  if (failed(axes)) {
    return failure();
  }
  Reduction reduction(c.inputType(0), *axes);
  Value sum = reduction.make<ReduceSumOp>(c, c.input(0));
  Value mean = Formula(c, c.typeOf(sum))
                   .div(sum, c.makeConstant(c.typeOf(sum), reduction.count));
  c.setResult(0, c.reshape(mean, reduction.kept));
  return success();
}

} // namespace accel::onnx
