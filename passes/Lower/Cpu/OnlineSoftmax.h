// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The softmax of a block of 64 rows whose columns come tile by tile.
#ifndef ACCEL_PASSES_LOWER_CPU_ONLINESOFTMAX_H
#define ACCEL_PASSES_LOWER_CPU_ONLINESOFTMAX_H

#include "passes/Lower/Cpu/AttentionCode.h"

namespace accel {

/// Numbers of every row, in a tile of the workspace: the maximum and the sum so
/// far, the maximum of the tile, and what the sums so far are multiplied by.
/// Borrows: the attention's code.
class OnlineSoftmax {
public:
  using Value = mlir::Value;
  enum State : int64_t { Maximum, Sum, TileMaximum, Factor };

  OnlineSoftmax(const AttentionCode &code, const TileRows &rows)
      : code(code), t(code.t), m(code.m), rows(rows) {}

  /// Of sixteen rows from `lane` on.
  Value load(State state, Value lane) const {
    return rows.allLanes(t.index(state), lane);
  }
  void store(Value lanes, State state, Value lane) const {
    rows.storeAll(lanes, t.index(state), lane);
  }
  /// Of one row.
  Value scalar(State state, Value row) const {
    return rows.scalar(t.index(state), row);
  }

  /// No column was seen.
  void begin() const;
  /// No column of the tile was seen.
  void beginTile() const;
  /// The new maximum, and the factor for what was summed so far.
  void endTile() const;
  /// What exponents of sixteen rows are shifted by.
  Value getShift(Value lane) const { return getShiftOf(load(Maximum, lane)); }
  /// `Factor` becomes what sums are multiplied by, `Sum` the logarithm of the
  /// sum of exponentials; 0 and -inf for a row without columns.
  void finish() const;

private:
  Value getShiftOf(Value maximum) const;

  const AttentionCode &code;
  const TileCode &t;
  const Arithmetic &m;
  TileRows rows;
};

} // namespace accel

#endif
