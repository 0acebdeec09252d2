// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a matrix product is cut on a CPU: its memory for packed matrices, and
// what its code needs to know of it.
#ifndef ACCEL_PASSES_TARGET_CPU_PRODUCTTILES_H
#define ACCEL_PASSES_TARGET_CPU_PRODUCTTILES_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/IterationDomain.h"

#include <optional>

namespace accel {

/// Sizes of a product, and what follows for its kernel. Where operands have
/// leading dimensions, `matrices` products of equal sizes are computed, whose
/// operands and results lie one behind the other.
struct ProductTiles {
  int64_t matrices, rows, columns, depth;
  bool transposeLhs, transposeRhs;
  /// Summed elements of a block, a multiple of `getBlockMultiple`; blocks are
  /// summed one after the other.
  int64_t block;
  /// Summed elements that share a scale; 0: there are no scales.
  int64_t scaledBlock;
  /// Columns of the right matrix that are packed at once.
  int64_t packedColumns;
  /// Whether no result of the kernel is f32, so that the sums stay in the
  /// workspace until the epilogue has rounded them.
  bool keepsSums;
  /// Whether the left and the right matrix are views of windows of which parts
  /// are copied before they are packed.
  bool copiesLhs, copiesRhs;
  /// Whether they are read where they lie: rows in memory are so short that the
  /// part of a block lies within a few pages, and are whole register blocks.
  bool readsLhs, readsRhs;

  /// Of the product of `kernel`.
  static ProductTiles get(mlir::func::FuncOp kernel, MatmulOp op, int64_t block,
                          int64_t packedColumns);

  int64_t blocks() const;

  /// Floats from one packed panel of so many columns to the next: a row more
  /// than it has, so that panels do not begin at the same place of a cache.
  int64_t panelStride(int64_t panel) const { return (block + 1) * panel; }
  /// Where in a thread's workspace, in floats, the packed rows of the left
  /// matrix begin, behind any panels of the right one.
  int64_t lhsOffset() const;
  /// Rows of the left matrix that are packed at once; any register block's
  /// divide it.
  static constexpr int64_t kPackedRows = 48;

  /// Where sums that are kept begin, in floats, behind the packed rows, and of
  /// how many rows they are: those that a block of the right matrix is
  /// multiplied by before the next one; if there is one block only, those that
  /// are packed at once. They lie `packedColumns` apart.
  int64_t sumsOffset() const;
  int64_t summedRows() const;

  /// Where parts of windows are copied to, in floats, behind all else: of the
  /// left matrix the rows that are packed at once, of the right one so many
  /// columns. Rows of the copy are a block long, if the summed index is
  /// contiguous, or so many columns, and lie a little more elements than that
  /// apart, so that they do not meet in one set of a cache. Elements of 16 bits
  /// leave half of the place free.
  static constexpr int64_t kCopiedColumns = 64;
  int64_t copyOffset() const;
  int64_t copyStride(bool isBlockLong) const {
    return (isBlockLong ? block : kCopiedColumns) + 16;
  }

  int64_t workspaceBytes() const;
};

/// What the summed elements of a block are a multiple of: 16, or 32 where they
/// are packed in pairs, as those are transposed in twice as many elements.
int64_t getBlockMultiple(MatmulOp op);

/// The result of `kernel` in which the sums of `op` are kept: its own or, if
/// nobody wants it as it is, one of f32 that is computed from it. Nothing: none
/// can.
std::optional<unsigned> findSums(mlir::func::FuncOp kernel, MatmulOp op);

} // namespace accel

#endif
