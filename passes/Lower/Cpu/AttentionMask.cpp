// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of floats and of booleans, and biases, which are masks of floats.
#include "passes/Lower/Cpu/AttentionMask.h"

#include <limits>

using namespace mlir;
using namespace accel;

AttentionMask::AttentionMask(const TileCode &t, const HeadTensor &tensor,
                             ArrayRef<int64_t> shape)
    : t(t), tensor(tensor), minusInfinity(t.floats().number(
                                -std::numeric_limits<double>::infinity())),
      zero(t.floats().number(0.0)) {
  for (int64_t i = 0; i < 3; ++i) {
    if (shape[i] == 1) {
      this->tensor.view.strides[i] = 0;
    }
  }
}

Value AttentionMask::lanes(const TileRows &rows, Value row,
                           Value column) const {
  Value at = hasRepeatedRows() ? t.index(0) : row;
  bool isWhole = tensor.columns % kAttentionTile == 0;
  Type element = cast<MemRefType>(tensor.buffer.getType()).getElementType();
  if (element.isF32()) {
    return isWhole ? rows.allLanes(at, column)
                   : rows.someLanes(at, column, minusInfinity);
  }
  Arithmetic bytes = t.lanesOf(element);
  Value none = bytes.number(0);
  Value flags =
      isWhole ? rows.allLanes(at, column) : rows.someLanes(at, column, none);
  Value isAllowed = bytes.compare(arith::CmpIPredicate::ne, flags, none);
  return bytes.select(isAllowed, zero, minusInfinity);
}

Value AttentionMask::scalar(const TileRows &rows, Value column) const {
  Value number = rows.scalar(t.index(0), column);
  if (number.getType().isF32()) {
    return t.splat(number);
  }
  Arithmetic bytes(t.getBuilder(), t.getLoc(), number.getType());
  Value isAllowed =
      bytes.compare(arith::CmpIPredicate::ne, number, bytes.number(0));
  return bytes.select(isAllowed, zero, minusInfinity);
}

AddedToScores::Rows AddedToScores::getRows(Value batch, Value head) const {
  return llvm::map_to_vector<2>(parts, [&](const AttentionMask &part) {
    return part.getRows(batch, head);
  });
}

Value AddedToScores::lanes(const Rows &rows, Value row, Value column) const {
  Value total;
  for (auto [part, partRows] : llvm::zip_equal(parts, rows)) {
    Value each = part.lanes(partRows, row, column);
    total = total ? part.sum(total, each) : each;
  }
  return total;
}

Value AddedToScores::scalar(const Rows &rows, Value column) const {
  Value total;
  for (auto [part, partRows] : llvm::zip_equal(parts, rows)) {
    Value each = part.scalar(partRows, column);
    total = total ? part.sum(total, each) : each;
  }
  return total;
}
