// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composes affine views, dimension by dimension.
#include "passes/Analysis/ComposedView.h"

using namespace mlir;
using namespace accel;

/// Puts a dimension in front of those of `view`, or into the first one if both
/// behave as one.
static void prepend(AffineView &view, int64_t size, int64_t stride) {
  if (size == 1) {
    return;
  }
  if (!view.sizes.empty() &&
      stride == view.sizes.front() * view.strides.front()) {
    view.sizes.front() *= size;
    return;
  }
  view.sizes.insert(view.sizes.begin(), size);
  view.strides.insert(view.strides.begin(), stride);
}

namespace {

/// A view of a view of the root. The place of an element in the first view is a
/// number whose digits are the indices of that view's dimensions: `of.sizes`
/// are the bases. A dimension of the outer view counts one digit up, or, where
/// its steps reach the digit's end exactly, goes on with the next one.
class Composition {
public:
  explicit Composition(const AffineView &of)
      : of(of), largest(of.sizes.size(), 0) {
    composed.offset = of.offset;
  }

  /// Puts a dimension of the outer view in front. Whether that can be said in
  /// digits.
  bool add(int64_t size, int64_t stride);
  /// Whether no sum of digits leaves its base: then none carries into the next
  /// one, and each dimension moves by itself.
  bool isWithoutCarry() const;

  AffineView composed;

private:
  const AffineView &of;
  SmallVector<int64_t> largest; ///< of each digit
};

} // namespace

bool Composition::add(int64_t size, int64_t stride) {
  if (stride == 0) {
    prepend(composed, size, 0);
    return true;
  }
  // The digit that `stride` counts up, from the last one on.
  size_t digit = of.sizes.size();
  int64_t steps = stride;
  while (digit > 0 && steps % of.sizes[digit - 1] == 0) {
    steps /= of.sizes[--digit];
  }
  while (size > 1) {
    if (digit-- == 0) {
      return false;
    }
    int64_t taken = size;
    if (size * steps > of.sizes[digit]) {
      taken = of.sizes[digit] / steps;
      if (of.sizes[digit] % steps != 0 || size % taken != 0) {
        return false;
      }
    }
    largest[digit] += (taken - 1) * steps;
    prepend(composed, taken, steps * of.strides[digit]);
    size /= taken;
    steps = 1;
  }
  return true;
}

bool Composition::isWithoutCarry() const {
  return llvm::all_of(llvm::zip_equal(largest, of.sizes), [](auto pair) {
    return std::get<0>(pair) < std::get<1>(pair);
  });
}

std::optional<AffineView> accel::getComposedView(Value value, Value root) {
  AffineView view;
  prepend(view, getNumElements(value), 1);
  for (const AffineView &next : getViewChain(value, root)) {
    Composition composition(next);
    bool isPossible = view.offset == 0;
    for (size_t i = view.sizes.size(); i-- > 0 && isPossible;) {
      isPossible = composition.add(view.sizes[i], view.strides[i]);
    }
    if (!isPossible || !composition.isWithoutCarry()) {
      return std::nullopt;
    }
    view = composition.composed;
  }
  return view;
}
