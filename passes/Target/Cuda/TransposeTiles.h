// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel is cut on a GPU that transposes, what it copies or what it
// computes: into blocks that a thread turns in its registers.
#ifndef ACCEL_PASSES_TARGET_CUDA_TRANSPOSETILES_H
#define ACCEL_PASSES_TARGET_CUDA_TRANSPOSETILES_H

#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TransposedOperand.h"
#include "passes/Analysis/TurnedResult.h"

#include <optional>

namespace accel {

/// A kernel that copies its only operand into another order, or stores one of
/// its results in another order as well, of which neighbours in the source are
/// rows apart in the result and the other way round.
///
/// A thread moves a block of rows by columns. Blocks do not reach beyond
/// `rowsOf`, nor beyond the last dimension, whose neighbours are the result's:
/// the last ones of both have fewer rows or columns where the sizes are no
/// multiples. Of a warp's tile, neighbouring threads have neighbouring columns.
struct TransposeTiles : TransposedMatrix {
  std::optional<TurnedResult> turned; ///< what is computed; else it is copied
  int64_t elementBytes;
  int64_t blockRows, blockColumns;   ///< elements that a thread moves
  int64_t threadRows, threadColumns; ///< threads of a warp

  /// Nothing where the kernel does something else.
  static std::optional<TransposeTiles> find(mlir::func::FuncOp kernel);

  int64_t blocksOfRow() const; ///< that make the result's columns
  int64_t blocksOfColumn() const { return countBlocks(blockRows); }
  int64_t tilesOfRow() const {
    return llvm::divideCeil(blocksOfRow(), threadColumns);
  }
  int64_t tilesOfColumn() const {
    return llvm::divideCeil(blocksOfColumn(), threadRows);
  }
  int64_t allTiles() const { return tilesOfRow() * tilesOfColumn(); }
  /// The elements of a tile that has all its blocks.
  int64_t tileElements() const {
    return threadRows * threadColumns * blockRows * blockColumns;
  }
  /// The longest accesses, in bytes, that load a block's columns and store its
  /// rows, each from a place that is a multiple of it where source and result
  /// begin at multiples of so many bytes.
  int64_t getLoadBytes(int64_t alignment) const;
  int64_t getStoreBytes(int64_t alignment) const;
};

} // namespace accel

#endif
