// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that compare an element with its neighbours: norms
// along a dimension or of channels around, and the place of the largest.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

LogicalResult checkFloats(NodeConversion &c, int64_t leastRank) {
  RankedTensorType type = c.inputType(0);
  if (isa<FloatType>(type.getElementType()) && type.getRank() >= leastRank) {
    return success();
  }
  return c.error() << "expected floats of at least " << leastRank
                   << " dimensions, got " << type;
}

/// The sum over `axes`, in every element that it is a sum of.
Value spreadSum(NodeConversion &c, Value value, ArrayRef<int64_t> axes) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> reduced, kept;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool gone = llvm::is_contained(axes, static_cast<int64_t>(dim));
    kept.push_back(gone ? 1 : size);
    if (!gone) {
      reduced.push_back(size);
    }
  }
  Value sum =
      ReduceSumOp::create(c.builder, c.loc, type.clone(reduced), value, axes);
  return broadcastTo(c, c.reshape(sum, kept), type.getShape());
}

} // namespace

/// 1 at the first of the largest elements along a dimension, 0 elsewhere.
LogicalResult convertHardmax(NodeConversion &c) {
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), c.inputType(0).getRank());
  if (failed(axis) || failed(checkFloats(c, 1))) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  SmallVector<int64_t> kept(type.getShape()), reduced(type.getShape());
  kept[*axis] = 1;
  reduced.erase(reduced.begin() + *axis);
  int64_t axes[] = {*axis};
  auto spread = [&](Value value) {
    return broadcastTo(c, c.reshape(value, kept), type.getShape());
  };
  Value largest = ReduceMaxOp::create(c.builder, c.loc, type.clone(reduced),
                                      c.input(0), axes);
  Value isLargest = Formula(c, type).equal(c.input(0), spread(largest));
  RankedTensorType indices = type.clone(c.builder.getI64Type());
  Formula f(c, indices);
  Value place = f.index(*axis);
  Value candidates = f.select(
      isLargest, place, f.number(static_cast<double>(type.getDimSize(*axis))));
  Value first = ReduceMinOp::create(c.builder, c.loc, indices.clone(reduced),
                                    candidates, axes);
  Value isFirst = f.equal(place, spread(first));
  Formula g(c, type);
  c.setResult(0, g.select(isFirst, g.number(1), g.number(0)));
  return success();
}

LogicalResult convertLpNormalization(NodeConversion &c) {
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), c.inputType(0).getRank());
  int64_t p = c.getInt("p", 2);
  if (failed(axis) || failed(checkFloats(c, 1))) {
    return failure();
  }
  if (p != 1 && p != 2) {
    return c.error() << "expected p of 1 or 2, got " << p;
  }
  Formula f(c, c.inputType(0));
  Value x = c.input(0);
  Value sum = spreadSum(c, p == 1 ? f.abs(x) : f.mul(x, x), {*axis});
  // Zeros have no direction; they stay.
  Value isZero = f.equal(sum, f.number(0));
  Value safe = f.select(isZero, f.number(1), sum);
  Value norm = p == 1 ? safe : f.sqrt(safe);
  c.setResult(0, f.select(isZero, f.number(0), f.div(x, norm)));
  return success();
}

/// x / (bias + alpha / size * sum of squares of `size` channels around)^beta
LogicalResult convertLrn(NodeConversion &c) {
  int64_t size = c.getInt("size", 0);
  if (failed(checkFloats(c, 3))) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  int64_t channels = type.getDimSize(1);
  if (size < 1 || size > (int64_t(1) << 20)) {
    return c.error() << "expected a size of at least 1, got " << size;
  }
  Formula f(c, type);
  Value square = f.mul(c.input(0), c.input(0)), sum;
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  for (int64_t shift = -before; shift <= after; ++shift) {
    // Channel i reads channel i + shift.
    if (std::abs(shift) >= channels) {
      continue;
    }
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
        shape(type.getShape());
    offsets[1] = std::max<int64_t>(0, shift);
    shape[1] = channels - std::abs(shift);
    Value part = c.slice(square, offsets, shape, strides);
    if (shift != 0) {
      shape[1] = std::abs(shift);
      Value zeros = c.makeConstant(type.clone(shape), 0.0);
      part =
          shift > 0 ? c.concat({part, zeros}, 1) : c.concat({zeros, part}, 1);
    }
    sum = sum ? f.add(sum, part) : part;
  }
  double alpha = c.getFloat("alpha", 1e-4), beta = c.getFloat("beta", 0.75),
         bias = c.getFloat("bias", 1.0);
  Value base =
      f.add(f.scale(alpha / static_cast<double>(size), sum), f.number(bias));
  Value power = PowOp::create(c.builder, c.loc, type, base, f.number(beta));
  c.setResult(0, f.div(c.input(0), power));
  return success();
}

LogicalResult convertMeanVarianceNormalization(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<SmallVector<int64_t>> axes =
      c.normalizeAxes(c.getInts("axes").value_or(SmallVector<int64_t>{0, 2, 3}),
                      type.getRank());
  if (failed(axes) || failed(checkFloats(c, 1))) {
    return failure();
  }
  llvm::sort(*axes);
  double count = 1;
  for (int64_t axis : *axes) {
    count *= static_cast<double>(type.getDimSize(axis));
  }
  Formula f(c, type);
  auto mean = [&](Value value) {
    return f.scale(1.0 / count, spreadSum(c, value, *axes));
  };
  Value centered = f.sub(c.input(0), mean(c.input(0)));
  Value deviation = f.sqrt(mean(f.mul(centered, centered)));
  c.setResult(0, f.div(centered, f.add(deviation, f.number(1e-9))));
  return success();
}

} // namespace accel::onnx
