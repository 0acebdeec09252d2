// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of elements.
#include "passes/Lower/Cpu/ProductLayout.h"

using namespace mlir;
using namespace accel;

ProductMatrix ProductMatrix::from(const IndexArithmetic &t, Value row,
                                  Value column) const {
  if (isTransposed) {
    std::swap(row, column);
  }
  ProductMatrix part = *this;
  part.at = t.add(t.add(at, t.mul(row, stride)), column);
  return part;
}

ProductMatrix ProductMatrix::behind(const IndexArithmetic &t,
                                    Value elements) const {
  ProductMatrix part = *this;
  part.at = t.add(at, elements);
  return part;
}
