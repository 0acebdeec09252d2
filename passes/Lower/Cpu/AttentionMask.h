// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mask of an attention, as numbers that are added to scores.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONMASK_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONMASK_H

#include "passes/Lower/Cpu/TileRows.h"

namespace accel {

/// A mask of floats, which are added, or of booleans, which hide what is false.
class AttentionMask {
public:
  using Value = mlir::Value;

  /// `shape`: that of the mask itself, some of whose dimensions may be one.
  AttentionMask(const TileCode &t, const HeadTensor &tensor,
                llvm::ArrayRef<int64_t> shape);

  /// Whether every row has the same mask.
  bool hasRepeatedRows() const { return tensor.view.strides[2] == 0; }
  TileRows getRows(Value batch, Value head) const {
    return getHead(t, tensor, batch, head);
  }
  /// What is added to sixteen scores of a row; -inf beyond the last column.
  Value lanes(const TileRows &rows, Value row, Value column) const;
  /// The same of one column, for all rows, in every lane.
  Value scalar(const TileRows &rows, Value column) const;

private:
  TileCode t;
  HeadTensor tensor;
  Value minusInfinity, zero;
};

} // namespace accel

#endif
