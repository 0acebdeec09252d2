// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places, taps and weights along one dimension.
#include "frontends/onnx/Builders/GridAxis.h"

#include "frontends/onnx/Builders/Rounding.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Keys' cubic with a = -0.75, of a pixel `t` away.
Value inner(const Formula &f, Value t) {
  constexpr double a = -0.75;
  Value line = f.sub(f.scale(a + 2, t), f.number(a + 3));
  return f.add(f.mul(f.mul(line, t), t), f.number(1));
}
/// Of a pixel `t + 1` away.
Value outer(const Formula &f, Value t) {
  constexpr double a = -0.75;
  Value far = f.add(t, f.number(1));
  Value line = f.sub(f.scale(a, far), f.number(5 * a));
  Value square = f.add(f.mul(line, far), f.number(8 * a));
  return f.sub(f.mul(square, far), f.number(4 * a));
}

} // namespace

Value GridAxis::toPixels(Value place) const {
  Value fromEnd = f.add(place, f.number(1));
  if (alignsCorners) {
    return f.mul(f.div(fromEnd, f.number(2)), f.number(double(size - 1)));
  }
  Value edges = f.sub(f.mul(fromEnd, f.number(double(size))), f.number(1));
  return f.div(edges, f.number(2));
}

Value GridAxis::clip(Value x) const { return f.clip(x, 0, double(size - 1)); }

/// Mirrored at the outermost pixels, or at their edges.
Value GridAxis::reflect(Value x) const {
  double least = alignsCorners ? 0 : -0.5;
  double span = alignsCorners ? double(size - 1) : double(size);
  if (span == 0) {
    return f.number(0);
  }
  Value inside = f.abs(f.sub(x, f.number(least)));
  Value flips = floorOf(c, f, f.div(inside, f.number(span)));
  Value rest = f.sub(inside, f.mul(flips, f.number(span)));
  Value half = f.scale(0.5, flips);
  Value isEven = f.equal(half, floorOf(c, f, half));
  Value mirrored = f.select(isEven, rest, f.sub(f.number(span), rest));
  return clip(f.add(mirrored, f.number(least)));
}

/// Within the image; with zeros around it nothing is moved.
Value GridAxis::pad(Value x) const {
  switch (padding) {
  case GridPadding::Zeros:
    return x;
  case GridPadding::Border:
    return clip(x);
  case GridPadding::Reflection:
    return reflect(x);
  }
  llvm_unreachable("all kinds of padding are handled");
}

SmallVector<PixelTap> GridAxis::getTaps(StringRef mode, Value x) const {
  if (mode == "nearest") {
    return {{roundOf(c, f, pad(x)), f.number(1)}};
  }
  x = mode == "linear" ? pad(x) : x;
  Value low = floorOf(c, f, x);
  Value t = f.sub(x, low), rest = f.sub(f.number(1), t);
  if (mode == "linear") {
    return {{low, rest}, {f.add(low, f.number(1)), t}};
  }
  SmallVector<PixelTap> taps;
  Value weights[] = {outer(f, t), inner(f, t), inner(f, rest), outer(f, rest)};
  for (auto [i, weight] : llvm::enumerate(weights)) {
    taps.push_back({pad(f.add(low, f.number(double(i) - 1))), weight});
  }
  return taps;
}

Value GridAxis::getWeights(const PixelTap &tap) const {
  SmallVector<int64_t> shape(places.getShape());
  shape.push_back(size);
  RankedTensorType type = places.clone(shape);
  auto spread = [&](Value value) {
    return BroadcastOp::create(c.builder, c.loc, type, value,
                               ArrayRef<int64_t>{0, 1});
  };
  Formula wide(c, type);
  Value isPixel = wide.equal(wide.index(2), spread(tap.pixel));
  return wide.select(isPixel, spread(tap.weight), wide.number(0));
}

Value GridAxis::getWeights(ArrayRef<PixelTap> taps) const {
  Value sum;
  for (const PixelTap &tap : taps) {
    Value weights = getWeights(tap);
    sum = sum ? f.add(sum, weights) : weights;
  }
  return sum;
}

} // namespace accel::onnx
