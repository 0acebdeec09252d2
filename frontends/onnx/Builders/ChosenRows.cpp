// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons are sums over a dimension that is put behind all others:
// select(index = position, value, 0), of which at most one term is not 0. What
// is not selected may be infinite.
#include "frontends/onnx/Builders/ChosenRows.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace accel::onnx {
namespace {

Value repeat(const NodeConversion &c, Value value, ArrayRef<int64_t> shape,
             ArrayRef<int64_t> dimensions) {
  RankedTensorType type = c.typeOf(value);
  return type.getShape() == shape
             ? value
             : BroadcastOp::create(c.builder, c.loc, type.clone(shape), value,
                                   dimensions)
                   .getResult();
}

/// `value` with dimension `axis` behind all others.
Value moveBack(const NodeConversion &c, Value value, int64_t axis) {
  return c.transpose(value, axisLast(c.typeOf(value).getRank(), axis));
}

/// The sum over the last dimension of what is chosen; of booleans, whether one
/// that is chosen is true.
Value sumChosen(const NodeConversion &c, Value isChosen, Value value) {
  RankedTensorType type = c.typeOf(value);
  Type element = type.getElementType();
  if (element.isInteger(1)) {
    Type integer = c.builder.getI64Type();
    return c.cast(sumChosen(c, isChosen, c.cast(value, integer)), element);
  }
  Formula f(c, type);
  Value terms = f.select(isChosen, value, f.number(0.0));
  int64_t axes[] = {type.getRank() - 1};
  return ReduceSumOp::create(
      c.builder, c.loc, type.clone(type.getShape().drop_back()), terms, axes);
}

/// Indices into a dimension of some size.
class RowIndices {
public:
  /// Fails after an error if known ones do not exist.
  static FailureOr<RowIndices> make(const NodeConversion &c, Value indices,
                                    int64_t size);

  bool isKnown() const { return known.has_value(); }
  /// The dimensions but the last along which known indices differ.
  SmallVector<int64_t> findDiffering() const;
  /// The known indices where dimensions that are none of `differing` are 0.
  SmallVector<int64_t> take(ArrayRef<int64_t> differing) const;
  /// For the last dimension, if they are known and the same for all others.
  std::optional<SmallVector<int64_t>> getCommon() const {
    return isKnown() && findDiffering().empty() ? std::optional(take({}))
                                                : std::nullopt;
  }
  Value get() const { return indices; } ///< in [0, size)
  /// `value`, with NaN where the index does not exist; the index's dimensions
  /// are dimensions `dimensions` of it.
  Value mark(Value value, ArrayRef<int64_t> dimensions) const;

private:
  explicit RowIndices(const NodeConversion &c) : c(c) {}

  const NodeConversion &c;
  Value indices, exists; ///< `exists` is null if all do
  std::optional<SmallVector<int64_t>> known;
};

FailureOr<RowIndices> RowIndices::make(const NodeConversion &c, Value indices,
                                       int64_t size) {
  RowIndices rows(c);
  KnownValues &known = c.state.known;
  if (known.isKnown(indices)) {
    HostTensor tensor = known.evaluate(indices);
    if (!tensor) {
      return failure();
    }
    FailureOr<SmallVector<int64_t>> counted =
        countFromStart(c, tensor.integers(), size);
    if (failed(counted)) {
      return failure();
    }
    rows.indices =
        c.reshape(c.makeIntegers(*counted), tensor.getType().getShape());
    rows.known = std::move(*counted);
    return rows;
  }
  CountedIndex index =
      countFromStart(c, c.cast(indices, c.builder.getI64Type()), size);
  Formula f(c, c.typeOf(index.value));
  Value zero = f.number(0.0), last = f.number(static_cast<double>(size - 1));
  rows.exists = index.exists;
  rows.indices =
      f.min(f.select(f.less(index.value, zero), zero, index.value), last);
  return rows;
}

SmallVector<int64_t> RowIndices::findDiffering() const {
  ArrayRef<int64_t> shape = c.typeOf(indices).getShape();
  SmallVector<int64_t> strides = computeStrides(shape), differing;
  for (auto [dim, size, stride] :
       llvm::drop_end(llvm::enumerate(shape, strides))) {
    for (auto [at, index] : llvm::enumerate(*known)) {
      int64_t place = static_cast<int64_t>(at) / stride % size;
      if (index != (*known)[at - place * stride]) {
        differing.push_back(static_cast<int64_t>(dim));
        break;
      }
    }
  }
  return differing;
}

SmallVector<int64_t> RowIndices::take(ArrayRef<int64_t> differing) const {
  ArrayRef<int64_t> shape = c.typeOf(indices).getShape();
  SmallVector<int64_t> strides = computeStrides(shape), taken;
  for (auto [at, index] : llvm::enumerate(*known)) {
    auto isFirst = [&, at = static_cast<int64_t>(at)](int64_t dim) {
      return at / strides[dim] % shape[dim] == 0 ||
             llvm::is_contained(differing, dim);
    };
    if (llvm::all_of(axisRange(0, std::ssize(shape) - 1), isFirst)) {
      taken.push_back(index);
    }
  }
  return taken;
}

Value RowIndices::mark(Value value, ArrayRef<int64_t> dimensions) const {
  RankedTensorType type = c.typeOf(value);
  if (!exists || !isa<FloatType>(type.getElementType())) {
    return value;
  }
  Formula f(c, type);
  return f.select(repeat(c, exists, type.getShape(), dimensions), value,
                  f.number(std::numeric_limits<double>::quiet_NaN()));
}

/// Whether, for positions and indices of `shape`, dimension `position` counts
/// what the last one has the index of.
Value isAt(const NodeConversion &c, Value indices, ArrayRef<int64_t> shape,
           int64_t position) {
  Formula f(c, c.typeOf(indices).clone(shape));
  return f.equal(indices, f.index(position));
}

/// Rows read at known indices: dimensions along which they differ and that of
/// the rows are one dimension, (others.., differing.., n) -> (others.., n').
Value gatherKnown(const NodeConversion &c, Value data, const RowIndices &rows,
                  int64_t aligned, ArrayRef<int64_t> differing) {
  ArrayRef<int64_t> shape = c.typeOf(data).getShape();
  SmallVector<int64_t> order = axisRange(0, aligned);
  llvm::erase_if(
      order, [&](int64_t dim) { return llvm::is_contained(differing, dim); });
  int64_t others = std::ssize(order), size = shape[aligned];
  llvm::append_range(order, differing);
  llvm::append_range(order, axisRange(aligned, std::ssize(shape)));
  SmallVector<int64_t> indices = rows.take(differing), apart(shape);
  int64_t tables = 1;
  for (int64_t dim : differing) {
    tables *= shape[dim];
  }
  auto each = std::ssize(indices) / tables;
  for (auto [at, index] : llvm::enumerate(indices)) {
    index += static_cast<int64_t>(at) / each * size;
  }
  apart[aligned] = each;
  apart = applyPermutation(apart, order);
  SmallVector<int64_t> joined = applyPermutation(shape, order);
  joined[others] = tables * size;
  joined.erase(joined.begin() + others + 1,
               joined.begin() + others + 1 + std::ssize(differing));
  Value table = c.reshape(c.transpose(data, order), joined);
  Value gathered = gatherAlong(c, table, others, c.makeIntegers(indices));
  return c.transpose(c.reshape(gathered, apart),
                     invertPermutationVector(order));
}

/// Rows put by known indices, the same for all: each place knows its row.
Value putKnownRows(const NodeConversion &c, Value data, Value updates,
                   ArrayRef<int64_t> indices, int64_t axis) {
  RankedTensorType type = c.typeOf(data);
  SmallVector<int64_t> rows(type.getDimSize(axis), 0),
      isPut(type.getDimSize(axis), 0);
  for (auto [row, place] : llvm::enumerate(indices)) {
    rows[place] = static_cast<int64_t>(row);
    isPut[place] = 1;
  }
  Value gathered = gatherAlong(c, updates, axis, c.makeIntegers(rows));
  Value mask = c.cast(c.makeIntegers(isPut), c.builder.getI1Type());
  return Formula(c, type).select(repeat(c, mask, type.getShape(), {axis}),
                                 gathered, data);
}

/// The most rows that are multiplied into one place.
constexpr int64_t kMostFactors = 256;

class Scatter {
public:
  Scatter(const NodeConversion &c, Value data, Value updates,
          const RowIndices &rows, int64_t aligned)
      : c(c), data(data), updates(updates), rows(rows), aligned(aligned),
        type(c.typeOf(data)), places(type.getShape()) {
    count_ = c.typeOf(updates).getDimSize(aligned);
    wide.assign(places.begin(), places.end());
    wide.push_back(count_);
    narrow.assign(places.begin(), places.begin() + aligned + 1);
    narrow.push_back(count_);
  }

  Value add() const {
    Value chosen = repeat(c, isPlaced(), wide, narrowDimensions());
    return Formula(c, type).add(data, sumChosen(c, chosen, wideUpdates()));
  }

  /// One factor after the other, so that gradients divide by nothing.
  Value multiply() const {
    Formula f(c, type.clone(wide));
    Value chosen = repeat(c, isPlaced(), wide, narrowDimensions());
    Value factors = f.select(chosen, wideUpdates(), f.number(1.0));
    SmallVector<int64_t> offsets(wide.size(), 0), strides(wide.size(), 1),
        shape(wide);
    shape.back() = 1;
    Value product = data;
    for (int64_t row = 0; row < count_; ++row) {
      offsets.back() = row;
      Value factor = c.slice(factors, offsets, shape, strides);
      product = Formula(c, type).mul(product, c.reshape(factor, places));
    }
    return product;
  }

  /// Rows that are for another place are below, or above, everything.
  template <typename Reduce, typename Combine> Value choose(double none) const {
    Formula f(c, type.clone(wide));
    Value chosen = repeat(c, isPlaced(), wide, narrowDimensions());
    int64_t axes[] = {static_cast<int64_t>(places.size())};
    Value extreme =
        Reduce::create(c.builder, c.loc, type,
                       f.select(chosen, wideUpdates(), f.number(none)), axes);
    return Combine::create(c.builder, c.loc, type, data, extreme);
  }

  /// The last row of each place.
  Value replace() const {
    RankedTensorType narrowType =
        RankedTensorType::get(narrow, c.builder.getI64Type());
    Formula f(c, narrowType);
    Value candidates =
        f.select(isPlaced(), f.index(aligned + 1), f.number(-1.0));
    int64_t axes[] = {aligned + 1};
    Value last = ReduceMaxOp::create(
        c.builder, c.loc, narrowType.clone(ArrayRef(narrow).drop_back()),
        candidates, axes);
    RankedTensorType wideType = narrowType.clone(wide);
    Formula g(c, wideType);
    SmallVector<int64_t> leading = axisRange(0, aligned + 1);
    Value isLast = g.equal(repeat(c, last, wide, leading),
                           g.index(static_cast<int64_t>(places.size())));
    Value put = sumChosen(c, isLast, wideUpdates());
    Formula h(c, narrowType.clone(places));
    Value isPut = h.compare(ComparePredicate::GE,
                            repeat(c, last, places, leading), h.number(0.0));
    return h.select(isPut, put, data);
  }

private:
  SmallVector<int64_t> narrowDimensions() const {
    SmallVector<int64_t> dimensions = axisRange(0, aligned + 1);
    dimensions.push_back(static_cast<int64_t>(places.size()));
    return dimensions;
  }
  /// (a.., n, k): whether row k is for place n.
  Value isPlaced() const {
    SmallVector<int64_t> dimensions = axisRange(0, aligned);
    dimensions.push_back(aligned + 1);
    return isAt(c, repeat(c, rows.get(), narrow, dimensions), narrow, aligned);
  }
  /// (a.., n, rest.., k).
  Value wideUpdates() const {
    SmallVector<int64_t> marked = axisRange(0, aligned + 1);
    Value moved = moveBack(c, rows.mark(updates, marked), aligned);
    SmallVector<int64_t> dimensions = axisRange(0, aligned);
    llvm::append_range(
        dimensions, axisRange(aligned + 1, static_cast<int64_t>(wide.size())));
    return repeat(c, moved, wide, dimensions);
  }

  const NodeConversion &c;
  Value data, updates;
  const RowIndices &rows;
  int64_t aligned, count_;
  RankedTensorType type;
  ArrayRef<int64_t> places;
  SmallVector<int64_t> wide, narrow;
};

} // namespace

FailureOr<Value> gatherRows(const NodeConversion &c, Value data, Value indices,
                            int64_t aligned,
                            std::optional<int64_t> paddingRow) {
  RankedTensorType type = c.typeOf(data);
  FailureOr<RowIndices> rows =
      RowIndices::make(c, indices, type.getDimSize(aligned));
  if (failed(rows)) {
    return failure();
  }
  if (rows->isKnown()) {
    SmallVector<int64_t> differing = rows->findDiffering();
    if (!llvm::is_contained(differing, 0)) {
      return gatherKnown(c, data, *rows, aligned, differing);
    }
  }
  SmallVector<int64_t> leading = axisRange(0, aligned + 1);
  if (aligned == 0) {
    return rows->mark(gatherAlong(c, data, 0, rows->get(), paddingRow),
                      leading);
  }
  // (a.., k, rest.., n)
  SmallVector<int64_t> narrow(c.typeOf(indices).getShape()), wide = narrow;
  llvm::append_range(wide, type.getShape().drop_front(aligned + 1));
  narrow.push_back(type.getDimSize(aligned));
  wide.push_back(type.getDimSize(aligned));
  int64_t last = static_cast<int64_t>(wide.size()) - 1;
  Value isChosen =
      isAt(c, repeat(c, rows->get(), narrow, leading), narrow, aligned + 1);
  SmallVector<int64_t> dimensions = leading;
  dimensions.push_back(last);
  isChosen = repeat(c, isChosen, wide, dimensions);
  dimensions = axisRange(0, aligned);
  llvm::append_range(dimensions, axisRange(aligned + 1, last + 1));
  Value moved = repeat(c, moveBack(c, data, aligned), wide, dimensions);
  return rows->mark(sumChosen(c, isChosen, moved), leading);
}

FailureOr<Value> scatterRows(const NodeConversion &c, Value data, Value indices,
                             Value updates, int64_t aligned, ScatterKind kind) {
  RankedTensorType type = c.typeOf(data);
  FailureOr<RowIndices> rows =
      RowIndices::make(c, indices, type.getDimSize(aligned));
  if (failed(rows)) {
    return failure();
  }
  int64_t count = c.typeOf(updates).getDimSize(aligned);
  if (kind == ScatterKind::Multiply && count > kMostFactors) {
    return c.error() << "expected at most " << kMostFactors
                     << " indices with reduction 'mul', got " << count
                     << "; add logarithms with scatter_add";
  }
  bool replaces = kind == ScatterKind::Replace, adds = kind == ScatterKind::Add;
  if (replaces && rows->getCommon()) {
    return putKnownRows(c, data, updates, *rows->getCommon(), aligned);
  }
  if (adds && aligned == 0 && isa<FloatType>(type.getElementType())) {
    Value sum = ScatterAddOp::create(c.builder, c.loc, type, rows->get(),
                                     rows->mark(updates, {0}));
    return Formula(c, type).add(data, sum);
  }
  Scatter scatter(c, data, updates, *rows, aligned);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ScatterKind::Replace:
    return scatter.replace();
  case ScatterKind::Add:
    return scatter.add();
  case ScatterKind::Multiply:
    return scatter.multiply();
  case ScatterKind::Max:
    return scatter.choose<ReduceMaxOp, MaxOp>(-infinity);
  case ScatterKind::Min:
    return scatter.choose<ReduceMinOp, MinOp>(infinity);
  }
  llvm_unreachable("every kind has its case");
}

} // namespace accel::onnx
