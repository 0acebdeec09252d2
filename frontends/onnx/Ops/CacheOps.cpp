// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of TensorScatter, which writes what is new into a cache: each
// sample's from a place of its own on.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The dimension of positions, once operands agree in all others.
FailureOr<int64_t> readPositions(NodeConversion &c) {
  RankedTensorType cache = c.inputType(0), update = c.inputType(1);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -2), cache.getRank());
  if (failed(axis)) {
    return failure();
  }
  SmallVector<int64_t> expected(cache.getShape());
  if (update.getRank() == cache.getRank()) {
    expected[*axis] =
        std::min(update.getDimSize(*axis), cache.getDimSize(*axis));
  }
  bool fits = *axis > 0 && update == cache.clone(expected) &&
              !cache.getElementType().isInteger(1);
  bool isCounted =
      !c.hasInput(2) ||
      (NodeConversion::isIndexTensor(c.inputType(2)) &&
       c.inputType(2).getShape() == cache.getShape().take_front(1));
  if (!fits || !isCounted) {
    return c.error() << "expected numbers, as many for each position of an "
                        "axis behind the samples as the cache has, and an "
                        "index for each sample, got "
                     << update << " for " << cache;
  }
  return *axis;
}

} // namespace

LogicalResult convertTensorScatter(NodeConversion &c) {
  FailureOr<int64_t> axis = readPositions(c);
  StringRef mode = c.getString("mode", "linear");
  if (failed(axis)) {
    return failure();
  }
  if (mode != "linear" && mode != "circular") {
    return c.error() << "expected a mode of linear or circular, got '" << mode
                     << "'";
  }
  RankedTensorType type = c.inputType(0);
  int64_t rank = type.getRank(), samples = type.getDimSize(0),
          positions = type.getDimSize(*axis),
          written = c.inputType(1).getDimSize(*axis);
  SmallVector<int64_t> order = axisLast(rank, *axis);
  Value cache = c.transpose(c.input(0), order),
        update = c.transpose(c.input(1), order);
  Type i64 = c.builder.getI64Type();
  auto broadcast = [&](Value value, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> dimensions) {
    return BroadcastOp::create(c.builder, c.loc, c.typeOf(value).clone(shape),
                               value, dimensions);
  };
  // Whether a sample's position gets a row of the update.
  Formula places(c, RankedTensorType::get({samples, positions, written}, i64));
  Value place = places.index(2);
  if (c.hasInput(2)) {
    place = places.add(place, broadcast(c.cast(c.input(2), i64),
                                        {samples, positions, written}, {0}));
  }
  if (mode == "circular") {
    Value end = places.number(static_cast<double>(positions));
    place =
        places.select(places.less(place, end), place, places.sub(place, end));
  }
  Value isWritten = places.equal(place, places.index(1));

  SmallVector<int64_t> wide(c.typeOf(cache).getShape()),
      dimensions = axisRange(0, rank);
  wide.push_back(written);
  dimensions.back() = rank;
  Formula rows(c, type.clone(wide));
  Value chosen =
      rows.select(broadcast(isWritten, wide, {0, rank - 1, rank}),
                  broadcast(update, wide, dimensions), rows.number(0.0));
  RankedTensorType whole = c.typeOf(cache);
  Value sums = ReduceSumOp::create(c.builder, c.loc, whole, chosen,
                                   ArrayRef<int64_t>{rank});
  Formula counts(c, RankedTensorType::get({samples, positions}, i64));
  Value count = ReduceSumOp::create(
      c.builder, c.loc, RankedTensorType::get({samples, positions}, i64),
      c.cast(isWritten, i64), ArrayRef<int64_t>{2});
  Value isNew = broadcast(counts.greater(count, counts.number(0.0)),
                          whole.getShape(), {0, rank - 1});
  Formula f(c, whole);
  c.setResult(0, c.transpose(f.select(isNew, sums, cache),
                             invertPermutationVector(order)));
  return success();
}

} // namespace accel::onnx
