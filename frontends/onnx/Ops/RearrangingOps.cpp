// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that only move elements: blocks between depth and
// space, crops and pads around the center, rows that a mask keeps.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The edge of a block of an image (n, c, h, w) of which every dimension in
/// `multiples` is a multiple of the number beside it.
LogicalResult checkImage(NodeConversion &c, int64_t block,
                         ArrayRef<std::pair<int, int64_t>> multiples) {
  RankedTensorType type = c.inputType(0);
  bool fits = type.getRank() == 4 && block >= 1 && block <= (1 << 15);
  for (auto [dim, factor] : multiples) {
    fits = fits && type.getDimSize(dim) % factor == 0;
  }
  return fits ? success()
              : LogicalResult(c.error() << "expected an image of four "
                                           "dimensions that blocks of "
                                        << block << " x " << block
                                        << " divide, got " << type);
}

/// Whether depth counts blocks first and then columns and rows (DCR), or (CRD)
/// columns first.
FailureOr<bool> readsDepthFirst(NodeConversion &c) {
  StringRef mode = c.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") {
    c.error() << "expected mode DCR or CRD, got '" << mode << "'";
    return failure();
  }
  return mode == "DCR";
}

} // namespace

LogicalResult convertDepthToSpace(NodeConversion &c) {
  int64_t block = c.getInt("blocksize", 0);
  FailureOr<bool> depthFirst = readsDepthFirst(c);
  if (failed(depthFirst) ||
      failed(checkImage(c, block, {{1, block * block}}))) {
    return failure();
  }
  ArrayRef<int64_t> s = c.inputType(0).getShape();
  int64_t depth = s[1] / (block * block);
  Value parts =
      *depthFirst
          ? c.reshape(c.input(0), {s[0], block, block, depth, s[2], s[3]})
          : c.reshape(c.input(0), {s[0], depth, block, block, s[2], s[3]});
  Value moved = *depthFirst ? c.transpose(parts, {0, 3, 4, 1, 5, 2})
                            : c.transpose(parts, {0, 1, 4, 2, 5, 3});
  c.setResult(0, c.reshape(moved, {s[0], depth, s[2] * block, s[3] * block}));
  return success();
}

LogicalResult convertSpaceToDepth(NodeConversion &c) {
  int64_t block = c.getInt("blocksize", 0);
  FailureOr<bool> depthFirst = readsDepthFirst(c);
  if (failed(depthFirst) || block < 1 ||
      failed(checkImage(c, block, {{2, block}, {3, block}}))) {
    return block < 1 ? LogicalResult(c.error()
                                     << "expected a blocksize of at least 1")
                     : failure();
  }
  ArrayRef<int64_t> s = c.inputType(0).getShape();
  Value parts = c.reshape(
      c.input(0), {s[0], s[1], s[2] / block, block, s[3] / block, block});
  Value moved = *depthFirst ? c.transpose(parts, {0, 3, 5, 1, 2, 4})
                            : c.transpose(parts, {0, 1, 3, 5, 2, 4});
  c.setResult(0, c.reshape(moved, {s[0], s[1] * block * block, s[2] / block,
                                   s[3] / block}));
  return success();
}

LogicalResult convertCenterCropPad(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<SmallVector<int64_t>> sizes = c.getConstantInts(1),
                                  axes = failure();
  if (failed(sizes)) {
    return failure();
  }
  if (auto given = c.getInts("axes")) {
    axes = c.normalizeAxes(*given, type.getRank());
  } else {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  }
  if (failed(axes)) {
    return failure();
  }
  if (axes->size() != sizes->size()) {
    return c.error() << "expected a size for each of " << axes->size()
                     << " dimensions, got " << sizes->size();
  }
  Value value = c.input(0);
  for (auto [axis, size] : llvm::zip_equal(*axes, *sizes)) {
    SmallVector<int64_t> shape(c.typeOf(value).getShape());
    int64_t missing = size - shape[axis];
    if (missing < 0) {
      SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
      offsets[axis] = -missing / 2;
      shape[axis] = size;
      value = c.slice(value, offsets, shape, strides);
    } else if (missing > 0) {
      auto zeros = [&](int64_t count) {
        shape[axis] = count;
        return c.makeConstant(type.clone(shape), 0.0);
      };
      int64_t before = missing / 2;
      SmallVector<Value> parts;
      if (before > 0) {
        parts.push_back(zeros(before));
      }
      parts.push_back(value);
      parts.push_back(zeros(missing - before));
      value = c.concat(parts, axis);
    }
  }
  c.setResult(0, value);
  return success();
}

LogicalResult convertCompress(NodeConversion &c) {
  HostTensor mask = c.state.known.evaluate(c.input(1));
  if (!mask || mask.getType().getRank() != 1) {
    return c.error(codes::ComputedShape)
           << "expected a mask of one dimension that does not depend on the "
              "model's inputs: the result's size depends on it";
  }
  Value value = c.input(0);
  int64_t axis = 0;
  if (c.hasAttribute("axis")) {
    FailureOr<int64_t> given =
        c.normalizeAxis(c.getInt("axis", 0), c.inputType(0).getRank());
    if (failed(given)) {
      return failure();
    }
    axis = *given;
  } else {
    value = c.reshape(value, {c.inputType(0).getNumElements()});
  }
  SmallVector<int64_t> kept;
  for (auto [i, flag] : llvm::enumerate(mask.integers())) {
    if (flag != 0) {
      kept.push_back(static_cast<int64_t>(i));
    }
  }
  if (!kept.empty() && kept.back() >= c.typeOf(value).getDimSize(axis)) {
    return c.error() << "expected a mask of at most "
                     << c.typeOf(value).getDimSize(axis)
                     << " elements, got one that keeps element " << kept.back();
  }
  c.setResult(0, gatherAlong(c, value, axis, c.makeIntegers(kept)));
  return success();
}

/// Element i of a sample of length l is element l - 1 - i of it; what lies
/// behind the length stays.
LogicalResult convertReverseSequence(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  int64_t time = c.getInt("time_axis", 0), batch = c.getInt("batch_axis", 1);
  if (type.getRank() < 2 || time + batch != 1 || time * batch != 0 ||
      c.inputType(1).getShape() != ArrayRef<int64_t>{type.getDimSize(batch)}) {
    return c.error() << "expected two dimensions, 0 and 1, of time and "
                        "samples, and a length of each sample, got "
                     << time << ", " << batch << ", " << type << " and "
                     << c.inputType(1);
  }
  // (samples, times) of the position that each element comes from.
  int64_t samples = type.getDimSize(batch), times = type.getDimSize(time);
  auto positions =
      RankedTensorType::get({samples, times}, c.builder.getI64Type());
  Formula f(c, positions);
  Value length = broadcastTo(
      c, c.reshape(c.cast(c.input(1), c.builder.getI64Type()), {samples, 1}),
      {samples, times});
  Value at = f.index(1);
  Value from =
      f.select(f.less(at, length), f.sub(f.sub(length, f.number(1)), at), at);
  // One row of all samples, in which sample s begins at s * times.
  Value flat = f.add(f.scale(static_cast<double>(times), f.index(0)), from);
  Value ordered = c.input(0);
  SmallVector<int64_t> swap =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(swap[0], swap[1]);
  if (batch == 1) {
    ordered = c.transpose(ordered, swap);
  }
  SmallVector<int64_t> shape(c.typeOf(ordered).getShape()), rows(shape);
  rows.erase(rows.begin());
  rows[0] = samples * times;
  Value reversed = c.reshape(gatherAlong(c, c.reshape(ordered, rows), 0,
                                         c.reshape(flat, {samples * times})),
                             shape);
  c.setResult(0, batch == 1 ? c.transpose(reversed, swap) : reversed);
  return success();
}

} // namespace accel::onnx
