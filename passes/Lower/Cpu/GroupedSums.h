// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a tile of a grouped product: register blocks, and how the parts
// of a summed index meet.
#ifndef ACCEL_PASSES_LOWER_CPU_GROUPEDSUMS_H
#define ACCEL_PASSES_LOWER_CPU_GROUPEDSUMS_H

#include "passes/Lower/Cpu/PackedFormat.h"
#include "passes/Lower/Cpu/TileRows.h"
#include "passes/Lower/ScalarEmitter.h"

namespace accel {

/// What is packed of the summed index at a time, and how its sums meet what is
/// there.
struct DepthPart {
  mlir::Value first, depth;
  Storing storing;
};

/// Rows of what sums go to, their columns from `column` on. `isWhole`: vectors
/// have no end there.
struct GroupedResult {
  TileRows target;
  bool isWhole;
  Storing storing = {};
  llvm::SmallVector<mlir::Value> rows = {};
  mlir::Value column = {};
};

/// Borrows: the code.
class GroupedSums {
public:
  using Value = mlir::Value;

  /// `vectors`: of a register block.
  GroupedSums(const TileCode &t, const PackedFormat &format, int64_t vectors)
      : t(t), format(format), vectors(vectors) {}

  /// Parts of a summed index that has `count` elements, `most` at most, and one
  /// part if it has none. Sums of a later part are added to those in front;
  /// `storing`: how those of the first meet what is there.
  void eachPart(Value count, int64_t most, const Storing &storing,
                llvm::function_ref<void(const DepthPart &)> body) const;
  /// Calls `body(height, first, lane)` for groups of some of `count` rows, and
  /// for the vectors of a register block of the 64 columns.
  void eachBlock(Value count,
                 llvm::function_ref<void(int64_t, Value, Value)> body) const;
  /// Writes the sums over `depth` elements that `result` is. `scalarAt` and
  /// `lanesAt` get the number of what is packed of the summed index.
  void
  emit(const GroupedResult &result, Value depth,
       llvm::function_ref<Value(int64_t row, Value number)> scalarAt,
       llvm::function_ref<Value(Value number, int64_t vector)> lanesAt) const;

private:
  const TileCode &t;
  PackedFormat format;
  int64_t vectors;
};

} // namespace accel

#endif
