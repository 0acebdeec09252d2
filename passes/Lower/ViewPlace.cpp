// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The digits of an index, from the last dimension on.
#include "passes/Lower/ViewPlace.h"

using namespace mlir;
using namespace accel;

Value accel::getPlace(const IndexArithmetic &t, const AffineView &view,
                      Value index) {
  Value place = t.index(0);
  for (size_t i = view.sizes.size(); i-- > 0;) {
    Value digit = i == 0 ? index : t.rem(index, view.sizes[i]);
    place = t.add(place, t.mul(digit, view.strides[i]));
    index = t.div(index, view.sizes[i]);
  }
  return place;
}
