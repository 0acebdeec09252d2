// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of attention and of its gradient are written with: operands,
// tiles in the workspace and the register-blocked product.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONCODE_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONCODE_H

#include "passes/Lower/Cpu/AttentionDropout.h"
#include "passes/Lower/Cpu/AttentionMask.h"
#include "passes/Lower/Cpu/RegisterBlock.h"
#include "passes/Lower/Cpu/TileRows.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace accel {

/// Vectors of a row of a tile.
inline constexpr int64_t kTileVectors = kAttentionTile / kTileLanes;

/// Rows that a tile reads, and which of them is its first.
struct TileSource {
  TileRows rows;
  mlir::Value first;
};

/// Vectors next to each other that a block covers, from column `lane` on.
struct Panel {
  mlir::Value lane;
  int64_t count;
};

/// Kernels of attention derive from it; parts of their code borrow it.
class AttentionCode {
public:
  using Value = mlir::Value;
  using Values = TileCode::Values;

  AttentionCode(KernelEmitter &emitter, mlir::Operation *op);

  // Tensors and tiles.
  HeadTensor getOperand(Value operand) {
    return HeadTensor::getOperand(emitter, op, operand);
  }
  HeadTensor getResult(unsigned number) {
    return HeadTensor::getResult(emitter, op, number);
  }
  TileRows getHead(const HeadTensor &tensor, Value batch, Value head) const {
    return accel::getHead(t, tensor, batch, head);
  }
  TileRows getTile(unsigned number, int64_t columns) const;
  /// Part `part` of a tile that has several of `rows` rows, `stride` floats
  /// apart.
  TileRows getTilePart(unsigned number, Value part, int64_t rows,
                       int64_t stride, int64_t columns) const;
  /// A result without columns: one number per row of every head.
  Value getRowBuffer(unsigned number);

  // Sizes of blocks.
  Value rowsOf(Value block) const { return sizeOf(block, tiles.rows); }
  Value columnsOf(Value block) const { return sizeOf(block, tiles.columns); }
  /// `on` if `isDiagonal` holds; null: it never does.
  Value chooseOn(Value isDiagonal, Value on, Value off) const {
    return isDiagonal ? t.select(isDiagonal, on, off) : off;
  }

  // Products. Sums are chains in ascending order, whatever the block's shape.
  int64_t rowsOfBlock(int64_t vectors) const;
  /// Covers the vectors `first` to `last` - 1, of which `whole` have all lanes.
  void eachPanel(int64_t first, int64_t last, int64_t whole,
                 llvm::function_ref<void(const Panel &)> body) const;
  Value laneOf(const Panel &panel, int64_t vector) const {
    return t.add(panel.lane, vector * kTileLanes);
  }
  /// Writes what a block has summed to rows from `row` on.
  void storeBlock(const Accumulators &block, const TileRows &target, Value row,
                  const Panel &panel) const;
  /// Calls `body(rows, first)` for groups of `step` rows, and for the rest one
  /// by one; `total`: what the range's ends are made of.
  void eachGroup(Value first, Value last, int64_t step, int64_t total,
                 llvm::function_ref<void(int64_t, Value)> body) const;
  /// tile[column][i] = source[row + i][column]; rows beyond the end repeat the
  /// last.
  void packTransposed(const TileRows &source, Value row, int64_t total,
                      const TileRows &tile) const;
  void clear(const TileRows &tile, Value rows) const;
  /// `count` rows of a head from `first` on: where they lie, or copied into
  /// tile `number` if they do not lie one behind the other, where rows a power
  /// of two apart would meet in few sets of a cache, or must be widened.
  TileSource gatherRows(const HeadTensor &tensor, const TileRows &rows,
                        Value first, Value count, unsigned number) const;

  // Scores.
  /// What forward makes of products before their maximum is taken: the bound
  /// of `softcap`, or a scale that would turn maxima around.
  Value prepare(Value product) const;
  /// Whether the scale is left to the exponent.
  bool isScaledLast() const { return scale > 0.0 && softcap == 0.0; }
  /// Whether scores are scaled and masked before their maximum is taken.
  bool isScaledFirst() const { return added || !isScaledLast(); }
  /// tanh(scale * product / softcap).
  Value getBounded(Value product) const {
    return m.tanh(m.mul(product, m.number(scale / softcap)));
  }
  /// Whether a row may have no column.
  bool mayBeEmpty() const {
    return added || (tiles.causal && tiles.offset() < 0);
  }
  /// Whether the last block of columns is not a whole one.
  bool hasTail() const { return tiles.columns % kAttentionTile != 0; }
  /// What probabilities that are kept are multiplied by.
  double keepFactor() const { return dropout ? dropout->keepFactor() : 1.0; }
  /// Whether ranges that end with one of `total` rows or with a block of `rows`
  /// are made of fours.
  static bool inFours(int64_t total, int64_t rows) {
    return total % 4 == 0 && rows % 4 == 0;
  }

  KernelEmitter &emitter;
  TileCode t;
  Arithmetic m; ///< on lanes of floats
  AttentionTiles tiles;
  int64_t widest; ///< vectors of 16 floats that a register block is wide
  mlir::Operation *op;
  HeadTensor query, key, value;
  AddedToScores added;
  std::optional<AttentionDropout> dropout;
  double scale = 1.0, softcap = 0.0; ///< softcap 0: scores have no bound
  Value minusInfinity, zero, scaleLanes;

private:
  template <typename OpTy> void readOperands(OpTy op);
  Value sizeOf(Value block, int64_t total) const;

  llvm::SmallVector<int64_t> tileOffsets;
};

/// Writes the kernel of an attention, over blocks of rows of heads.
void emitAttention(KernelEmitter &emitter, AttentionOp op);

/// Writes the kernel of an attention's gradient, over key heads.
void emitAttentionGrad(KernelEmitter &emitter, AttentionGradOp op);

} // namespace accel

#endif
