// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is added to the scores of an attention: its mask and its bias.
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
  Value sum(Value a, Value b) const { return t.floats().add(a, b); }

private:
  TileCode t;
  HeadTensor tensor;
  Value minusInfinity, zero;
};

/// A mask, a bias or both, in this order. Each may repeat what the other does
/// not.
class AddedToScores {
public:
  using Value = mlir::Value;
  /// The rows of a head, of each.
  using Rows = llvm::SmallVector<TileRows, 2>;

  void add(const AttentionMask &added) { parts.push_back(added); }
  explicit operator bool() const { return !parts.empty(); }

  /// Whether every row gets the same numbers.
  bool hasRepeatedRows() const {
    return llvm::all_of(parts, [](const AttentionMask &part) {
      return part.hasRepeatedRows();
    });
  }
  Rows getRows(Value batch, Value head) const;
  /// What is added to sixteen scores of a row; -inf beyond the last column.
  Value lanes(const Rows &rows, Value row, Value column) const;
  /// The same of one column, for all rows, in every lane.
  Value scalar(const Rows &rows, Value column) const;

private:
  llvm::SmallVector<AttentionMask, 2> parts;
};

} // namespace accel

#endif
