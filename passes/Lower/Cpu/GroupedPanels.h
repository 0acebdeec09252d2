// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of a grouped product keeps in the workspace: the rows that have
// chosen its matrix, and parts of its operands in the order in which they are
// multiplied.
#ifndef ACCEL_PASSES_LOWER_CPU_GROUPEDPANELS_H
#define ACCEL_PASSES_LOWER_CPU_GROUPEDPANELS_H

#include "passes/Lower/Cpu/TileRows.h"
#include "passes/Target/Cpu/GroupedTiles.h"

namespace accel {

/// An operand that lies in one piece, from element `first` of a buffer on.
struct GroupedOperand {
  mlir::Value buffer;
  int64_t first = 0;

  /// Some rows of it, from its element `from` on.
  TileRows getRows(const TileCode &t, mlir::Value from, int64_t rows,
                   int64_t columns) const {
    return {t, buffer, t.add(from, first), rows, columns, columns};
  }
};

/// Borrows: the code.
class GroupedPanels {
public:
  using Value = mlir::Value;

  /// `vectors`: of a register block.
  GroupedPanels(const TileCode &t, Value workspace, const GroupedTiles &tiles,
                int64_t vectors);

  /// Lists the rows whose index is `matrix`, in ascending order, and returns
  /// how many there are.
  Value list(const GroupedOperand &indices, Value matrix) const;
  /// The row at a place of the list.
  Value getListed(Value place) const;

  /// The right panel becomes 64 columns, from `column` on, of `depth` rows of a
  /// matrix from `first` on; those of one that lies transposed; or those of the
  /// rows in the list from place `first` on.
  void packMatrix(const TileRows &source, Value column, Value first,
                  Value depth) const;
  void packTurned(const TileRows &source, Value column, Value first,
                  Value depth) const;
  void packListed(const TileRows &source, Value column, Value first,
                  Value depth) const;
  /// The left panel becomes 16 columns of the rows in the list.
  void packLeft(const TileRows &source, Value column, Value first,
                Value depth) const;

  /// What was packed: an element of the left panel, a vector of the right one,
  /// that behind `vector` others of a register block which begins at `lane`.
  Value getLeft(Value place, Value column) const {
    return left.scalar(place, column);
  }
  Value getRight(Value row, Value lane, int64_t vector) const;

private:
  Value getRightRow(Value row, Value lane) const;
  void storeRight(Value lanes, Value row, Value lane) const;
  Value load(const TileRows &source, Value row, Value column,
             int64_t granule) const;

  const TileCode &t;
  GroupedTiles tiles;
  int64_t blockColumns;
  TileRows listed, left, right;
};

} // namespace accel

#endif
