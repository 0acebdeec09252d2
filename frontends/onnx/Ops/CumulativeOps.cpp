// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of running sums and products.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace accel::onnx {
namespace {

FailureOr<int64_t> readAxis(NodeConversion &c) {
  FailureOr<int64_t> given = c.getConstantInt(1);
  if (failed(given)) {
    return failure();
  }
  return c.normalizeAxis(*given, c.inputType(0).getRank());
}

/// Whether, of positions (n, n), the second is summed for the first.
Value isSummed(NodeConversion &c, int64_t size) {
  bool isReverse = c.getInt("reverse", 0) != 0,
       isExclusive = c.getInt("exclusive", 0) != 0;
  Formula f(c, RankedTensorType::get({size, size}, c.builder.getI64Type()));
  ComparePredicate predicate =
      isReverse ? (isExclusive ? ComparePredicate::GT : ComparePredicate::GE)
                : (isExclusive ? ComparePredicate::LT : ComparePredicate::LE);
  return f.compare(predicate, f.index(1), f.index(0));
}

/// A running sum as one sum for each position.
Value sumUpTo(NodeConversion &c, int64_t axis) {
  RankedTensorType type = c.inputType(0);
  int64_t rank = type.getRank();
  SmallVector<int64_t> order = axisLast(rank, axis),
                       dimensions = axisRange(0, rank);
  Value data = c.transpose(c.input(0), order);
  SmallVector<int64_t> wide(c.typeOf(data).getShape());
  wide.push_back(wide.back());
  dimensions.back() = rank;
  Formula f(c, type.clone(wide));
  Value terms =
      BroadcastOp::create(c.builder, c.loc, type.clone(wide), data, dimensions);
  Value isTerm = BroadcastOp::create(
      c.builder, c.loc, type.clone(wide).clone(c.builder.getI1Type()),
      isSummed(c, wide.back()), ArrayRef<int64_t>{rank - 1, rank});
  int64_t axes[] = {rank};
  Value sums =
      ReduceSumOp::create(c.builder, c.loc, c.typeOf(data),
                          f.select(isTerm, terms, f.number(0.0)), axes);
  return c.transpose(sums, invertPermutationVector(order));
}

/// `value` moved along `axis` by `count` places, behind as many ones, or, if
/// `isReverse`, in front of them.
Value shiftByOnes(const NodeConversion &c, Value value, int64_t axis,
                  int64_t count, bool isReverse) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  shape[axis] = count;
  Value ones = c.makeConstant(type.clone(shape), 1.0);
  offsets[axis] = isReverse ? count : 0;
  shape[axis] = type.getDimSize(axis) - count;
  Value rest = c.slice(value, offsets, shape, strides);
  return isReverse ? c.concat({rest, ones}, axis)
                   : c.concat({ones, rest}, axis);
}

} // namespace

LogicalResult convertCumSum(NodeConversion &c) {
  FailureOr<int64_t> axis = readAxis(c);
  if (failed(axis)) {
    return failure();
  }
  if (!c.state.known.isKnown(c.input(0))) {
    c.setResult(0, sumUpTo(c, *axis));
    return success();
  }
  c.setResult(0, CumsumOp::create(c.builder, c.loc, c.inputType(0), c.input(0),
                                  *axis, c.getInt("exclusive", 0) != 0,
                                  c.getInt("reverse", 0) != 0));
  return success();
}

/// Products of 2, 4, 8 ... neighbours: gradients are right where numbers are 0.
LogicalResult convertCumProd(NodeConversion &c) {
  FailureOr<int64_t> axis = readAxis(c);
  if (failed(axis)) {
    return failure();
  }
  if (c.inputType(0).getElementType().isInteger(1)) {
    return c.error() << "expected numbers, got " << c.inputType(0);
  }
  int64_t size = c.inputType(0).getDimSize(*axis);
  bool isReverse = c.getInt("reverse", 0) != 0;
  Value products = c.input(0);
  if (c.getInt("exclusive", 0) != 0 && size > 0) {
    products = shiftByOnes(c, products, *axis, 1, isReverse);
  }
  for (int64_t reach = 1; reach < size; reach *= 2) {
    Value others = shiftByOnes(c, products, *axis, reach, isReverse);
    products = MulOp::create(c.builder, c.loc, products, others);
  }
  c.setResult(0, products);
  return success();
}

} // namespace accel::onnx
