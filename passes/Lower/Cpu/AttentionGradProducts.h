// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of a tile of attention's gradient.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADPRODUCTS_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADPRODUCTS_H

#include "passes/Lower/Cpu/AttentionGradTile.h"

namespace accel {

/// Writes register blocks, which leave out what the diagonal hides. Borrows:
/// the attention's code.
class AttentionGradProducts {
public:
  using Value = mlir::Value;

  explicit AttentionGradProducts(const AttentionCode &code)
      : code(code), t(code.t), tiles(code.tiles) {}

  /// finish(row of the tile, first column, sums) for all scores of the tile
  /// that are needed: the sums over the columns of `source` and rows of
  /// `transposed`.
  using FinishScore = llvm::function_ref<void(Value, Value, Value)>;
  void multiply(const GradTile &tile, const TileSource &source,
                const TileRows &transposed, int64_t depth,
                FinishScore finish) const;

  /// target[column] += sum over the rows of weights[row][column] source[row]
  void addToColumns(const GradTile &tile, const TileRows &weights,
                    const TileSource &source, const TileRows &target,
                    int64_t depth) const;

  /// dQ[row] += sum over the columns of scores[row][column] K[column]
  void addToRows(const GradTile &tile, const TileRows &scores) const;

private:
  const AttentionCode &code;
  const TileCode &t;
  const AttentionTiles &tiles;
};

} // namespace accel

#endif
