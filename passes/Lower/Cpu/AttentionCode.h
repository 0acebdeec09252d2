// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of attention and of its gradient are written with: the
// heads of tensors, tiles in the workspace, the register-blocked product, masks
// and dropout.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONCODE_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONCODE_H

#include "passes/Lower/Cpu/KernelEmitter.h"
#include "passes/Lower/Cpu/RegisterBlock.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace accel {

/// Vectors of a row of a tile.
inline constexpr int64_t kTileVectors = kTile / kTileLanes;

/// A tensor of shape (batch, heads, rows, columns) where it lies.
struct HeadTensor {
  mlir::Value buffer; ///< null: nobody wants it
  StridedView view;
  int64_t rows = 0, columns = 0;

  explicit operator bool() const { return static_cast<bool>(buffer); }
};

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

class AttentionCode {
public:
  using Value = mlir::Value;
  using Values = TileCode::Values;

  AttentionCode(KernelEmitter &emitter, mlir::Operation *op);

protected:
  template <typename OpTy> void readOperands(OpTy op);

  // Tensors and tiles.
  /// A tensor that a kernel reads: an argument and where it lies there.
  HeadTensor getOperand(Value operand);
  /// Where result `number` of the operation goes, itself or transposed.
  HeadTensor getResult(unsigned number);
  TileRows getHead(const HeadTensor &tensor, Value batch, Value head) const;
  TileRows getTile(unsigned number, int64_t columns) const;
  /// A result without columns: one number per row of every head.
  Value getRowBuffer(unsigned number);

  // Sizes of blocks.
  Value rowsOf(Value block) const { return sizeOf(block, tiles.rows); }
  Value columnsOf(Value block) const { return sizeOf(block, tiles.columns); }
  /// `on` if `isDiagonal` holds; null: it never does.
  Value chooseOn(Value isDiagonal, Value on, Value off) const {
    return isDiagonal ? t.choose(isDiagonal, on, off) : off;
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
  /// tile `number` if they do not lie one behind the other. Rows a
  /// power of two apart would meet in few sets of a cache.
  TileSource gatherRows(const HeadTensor &tensor, const TileRows &rows,
                        Value first, Value count, unsigned number) const;

  // Masks.
  bool hasMask() const { return static_cast<bool>(mask); }
  /// Whether scores are scaled and masked before their maximum is taken.
  bool isScaledFirst() const { return hasMask() || scale <= 0.0; }
  bool mayBeEmpty() const {
    return hasMask() || (tiles.causal && tiles.offset() < 0);
  }
  /// Whether every row has the same mask.
  bool hasRepeatedRows() const { return mask.view.strides[2] == 0; }
  TileRows getMask(Value batch, Value head) const;
  /// What the mask adds to sixteen scores of a row; -inf beyond the last
  /// column.
  Value maskLanes(const TileRows &rows, Value row, Value column) const;
  Value maskScalar(const TileRows &rows, Value column) const;

  // Dropout.
  bool drops() const { return probability > 0.0; }
  struct DropoutKey {
    Value seed, site, sampleLow, sampleHigh; ///< i64 lanes
  };
  DropoutKey getDropoutKey(Value batch) const;
  /// The words of the scores of 16 rows from `row` on, columns c, 16 + c,
  /// 32 + c and 48 + c of block `block`.
  std::array<Value, 4> wordsAlongRows(const DropoutKey &key, Value head,
                                      Value row, Value block, Value c) const;
  /// The words of the scores of a row, 16 columns each.
  std::array<Value, 4> wordsAlongColumns(const DropoutKey &key, Value head,
                                         Value row, Value block) const;
  /// Whether ranges that end with one of `total` rows or with a block of `rows`
  /// are made of fours.
  static bool inFours(int64_t total, int64_t rows) {
    return total % 4 == 0 && rows % 4 == 0;
  }
  /// Which lanes are dropped.
  Value isDropped(Value word) const;
  double keepFactor() const { return 1.0 / (1.0 - probability); }

  KernelEmitter &emitter;
  TileCode t;
  AttentionTiles tiles;
  int64_t widest; ///< vectors of 16 floats that a register block is wide
  mlir::Operation *op;
  HeadTensor query, key, value, mask;
  double scale = 1.0, probability = 0.0;
  Value minusInfinity, zero, scaleLanes;

private:
  Value sizeOf(Value block, int64_t total) const;
  Value wide(Value index) const;
  std::array<Value, 4> words(const DropoutKey &key, Value counters) const;

  llvm::SmallVector<int64_t> tileOffsets;
  Value samples, seedLanes, siteLanes;
  int64_t samplesOffset = 0;
};

/// Writes the kernel of an attention, over blocks of rows of heads.
void emitAttention(KernelEmitter &emitter, AttentionOp op);

/// Writes the kernel of an attention's gradient, over key heads.
void emitAttentionGrad(KernelEmitter &emitter, AttentionGradOp op);

} // namespace accel

#endif
