// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of TopK: the rank of an element is the number of elements before
// it, so what has rank r is the result's element r. Values pass their gradient
// to the elements that they are.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

class TopK {
public:
  /// `data` (.., n), of which `count` are wanted.
  TopK(const NodeConversion &c, Value data, int64_t count, bool isLargest)
      : c(c), data(data), type(c.typeOf(data)), last(type.getRank() - 1),
        count(count), isLargest(isLargest), ranks(makeRanks()) {}

  Value values() const {
    Formula f(c, wide(count));
    return sum(f.select(isWanted(), repeat(data, wide(count), last + 1),
                        f.number(0.0)));
  }
  /// Of elements that are no numbers several have one rank, and the sum of
  /// their places may be none.
  Value indices() const {
    Formula f(c, wide(count).clone(c.builder.getI64Type()));
    Value place = sum(f.select(isWanted(), f.index(last + 1), f.number(0.0)));
    Formula g(c, c.typeOf(place));
    return g.min(place,
                 g.number(static_cast<double>(type.getDimSize(last) - 1)));
  }

private:
  /// (.., size, n).
  RankedTensorType wide(int64_t size) const {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + last, size);
    return type.clone(shape);
  }
  /// `value` (.., n), whose last dimension is dimension `at` of the result.
  Value repeat(Value value, RankedTensorType shape, int64_t at) const {
    SmallVector<int64_t> dimensions = axisRange(0, last);
    dimensions.push_back(at);
    Type element = c.typeOf(value).getElementType();
    return BroadcastOp::create(c.builder, c.loc, shape.clone(element), value,
                               dimensions);
  }
  Value sum(Value value) const {
    RankedTensorType shape = c.typeOf(value);
    int64_t axes[] = {shape.getRank() - 1};
    return ReduceSumOp::create(c.builder, c.loc,
                               shape.clone(shape.getShape().drop_back()), value,
                               axes);
  }

  /// How many elements come before each; of equal ones the first is first.
  Value makeRanks() const {
    RankedTensorType pairs = wide(type.getDimSize(last));
    Value own = repeat(data, pairs, last),
          other = repeat(data, pairs, last + 1);
    Formula f(c, pairs);
    Value isBetter = isLargest ? f.greater(other, own) : f.less(other, own);
    int64_t n = type.getDimSize(last);
    Formula positions(c, RankedTensorType::get({n, n}, c.builder.getI64Type()));
    Value isEarlier = positions.less(positions.index(1), positions.index(0));
    isEarlier = BroadcastOp::create(
        c.builder, c.loc, pairs.clone(c.builder.getI1Type()), isEarlier,
        ArrayRef<int64_t>{last, last + 1});
    Value isBefore = OrOp::create(
        c.builder, c.loc, isBetter,
        AndOp::create(c.builder, c.loc, f.equal(other, own), isEarlier));
    return sum(c.cast(isBefore, c.builder.getI64Type()));
  }

  /// (.., count, n): whether an element has the rank of the place.
  Value isWanted() const {
    RankedTensorType shape = wide(count).clone(c.builder.getI64Type());
    Formula f(c, shape);
    return f.equal(repeat(ranks, shape, last + 1), f.index(last));
  }

  const NodeConversion &c;
  Value data;
  RankedTensorType type;
  int64_t last, count;
  bool isLargest;
  Value ranks;
};

} // namespace

LogicalResult convertTopK(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> count = c.getConstantInt(1);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), type.getRank());
  if (failed(count) || failed(axis)) {
    return failure();
  }
  if (type.getElementType().isInteger(1) || *count < 1 ||
      *count > type.getDimSize(*axis)) {
    return c.error() << "expected from 1 to " << type.getDimSize(*axis)
                     << " of the numbers along dimension " << *axis << ", got "
                     << *count << " of " << type;
  }
  SmallVector<int64_t> order = axisLast(type.getRank(), *axis);
  SmallVector<int64_t> back = invertPermutationVector(order);
  TopK top(c, c.transpose(c.input(0), order), *count,
           c.getInt("largest", 1) != 0);
  if (c.isResultUsed(0)) {
    c.setResult(0, c.transpose(top.values(), back));
  }
  if (c.isResultUsed(1)) {
    c.setResult(1, c.transpose(top.indices(), back));
  }
  return success();
}

} // namespace accel::onnx
