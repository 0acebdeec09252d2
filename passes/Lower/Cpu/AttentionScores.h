// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scores of a tile of attention, forward.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONSCORES_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONSCORES_H

#include "passes/Lower/Cpu/AttentionCode.h"
#include "passes/Lower/Cpu/OnlineSoftmax.h"

namespace accel {

/// A block of columns within a block of rows.
struct ColumnTile {
  mlir::Value batch, head, firstRow; ///< of the block of rows
  mlir::Value block;                 ///< its number
  mlir::Value first;                 ///< its first column
  mlir::Value columns;               ///< how many it has
  mlir::Value isDiagonal; ///< whether the diagonal cuts it; null: there is none
};

/// Writes K Q' of a tile, hides what causality and the mask forbid, and keeps
/// the largest score of every row. Borrows: the attention's code.
class AttentionScores {
public:
  /// `queries` are transposed; `scores` become columns by rows.
  AttentionScores(const AttentionCode &code, const TileRows &queries,
                  const TileRows &scores, const OnlineSoftmax &softmax)
      : code(code), t(code.t), m(code.m), tiles(code.tiles), queries(queries),
        scores(scores), softmax(softmax) {}

  void emit(const ColumnTile &tile, const TileSource &keys) const;

private:
  using Value = mlir::Value;

  void emitProduct(const ColumnTile &tile, const TileSource &keys) const;
  void emitBlocks(const ColumnTile &tile, const TileSource &keys, Value first,
                  Value last, const Panel &panel, bool isCut) const;
  void finish(const ColumnTile &tile, Value group, const Panel &panel,
              bool isCut, Accumulators &block) const;
  void emitMask(const ColumnTile &tile) const;
  void emitRepeatedMask(const ColumnTile &tile) const;
  /// A scale that is not positive would turn -inf around, and a bound comes
  /// behind the scale: both were applied before.
  Value scaled(Value score, Value added) const {
    return code.isScaledLast() ? m.fma(score, code.scaleLanes, added)
                               : m.add(score, added);
  }

  const AttentionCode &code;
  const TileCode &t;
  const Arithmetic &m;
  const AttentionTiles &tiles;
  TileRows queries, scores;
  OnlineSoftmax softmax;
};

} // namespace accel

#endif
