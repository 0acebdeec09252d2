// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of a grouped product keeps in the workspace: the rows that have
// chosen its matrix, and parts of its operands in the order in which they are
// multiplied.
#ifndef ACCEL_PASSES_LOWER_CPU_GROUPEDPANELS_H
#define ACCEL_PASSES_LOWER_CPU_GROUPEDPANELS_H

#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/TileRows.h"
#include "passes/Target/Cpu/GroupedTiles.h"

namespace accel {

/// Rows of an operand, which lie one behind the other from an element of a
/// buffer on.
struct GroupedRows {
  mlir::Value buffer, first;
  int64_t columns;
};

/// Numbers are packed in the units of a PackedFormat; `depth` counts elements
/// of the summed index. Borrows: the code.
class GroupedPanels {
public:
  using Value = mlir::Value;

  /// `vectors`: of a register block.
  GroupedPanels(const TileCode &t, Value workspace, const GroupedTiles &tiles,
                const PackedFormat &format, int64_t vectors);

  /// Lists the rows whose index is such a one, in ascending order, and returns
  /// how many there are. The first index is element `first`.
  Value list(Value indices, int64_t first,
             llvm::function_ref<Value(Value index)> isListed) const;
  /// The row at a place of the list.
  Value getListed(Value place) const;

  /// The right panel becomes 64 columns, from `column` on, of `depth` rows of a
  /// matrix from `first` on; those of one that lies transposed; or those of the
  /// rows in the list from place `first` on.
  void packMatrix(const GroupedRows &source, Value column, Value first,
                  Value depth) const;
  void packTurned(const GroupedRows &source, Value column, Value first,
                  Value depth) const;
  void packListed(const GroupedRows &source, Value column, Value first,
                  Value depth) const;
  /// The left panel becomes 16 columns of the rows in the list.
  void packLeft(const GroupedRows &source, Value column, Value first,
                Value depth) const;
  /// The left panel becomes `count` rows in the list from `place` on, of each
  /// `depth` elements from `first` on.
  void packRows(const GroupedRows &source, Value place, int64_t count,
                Value first, Value depth) const;

  /// What was packed: a number of the left panel, of columns and of rows; a
  /// vector of the right one, that behind `vector` others of a register block
  /// which begins at `lane`.
  Value getLeft(Value number, Value column) const;
  Value getRow(int64_t row, Value number) const;
  Value getRight(Value number, Value lane, int64_t vector) const;

  /// Sums that will be rounded, rows of 64.
  TileRows getSums() const;

private:
  void eachUnit(Value depth,
                llvm::function_ref<void(Value k, bool isWhole)> body) const;
  void packAcross(const GroupedRows &source, Value row, Value next,
                  Value column, Value number) const;
  Value placeRight(Value number, Value lane) const;
  Value placeLeft(Value number) const;
  Value placeRow(int64_t row) const;
  OperandUnits unitsOf(const GroupedRows &source) const {
    return {t, format, source.buffer, Value()};
  }

  const TileCode &t;
  GroupedTiles tiles;
  PackedFormat format;
  int64_t blockColumns;
  Value workspace;
  FloatMemory memory; ///< the workspace
  TileRows listed;
};

} // namespace accel

#endif
