// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose, as warps
// compute them.
#ifndef ACCEL_PASSES_LOWER_CUDA_GROUPEDWARP_H
#define ACCEL_PASSES_LOWER_CUDA_GROUPEDWARP_H

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Cuda/ChosenRows.h"
#include "passes/Lower/Cuda/GroupedMemory.h"
#include "passes/Target/Cuda/GroupedWarpTiles.h"

namespace accel {

/// What the kernels of grouped products have in common.
class GroupedWarp {
public:
  using Value = mlir::Value;

protected:
  using Values = llvm::SmallVector<Value>;

  /// `alignments`: of the kernel's operands, as OperandAlignments has them.
  GroupedWarp(KernelEmitter &emitter, mlir::Operation *op,
              llvm::ArrayRef<int64_t> alignments);

  /// A tile: where its matrix begins, the first of its rows (of the matrix, or
  /// of those among which it looks for its own), and its first column.
  struct Tile {
    Value matrix, begin, row, column;
  };
  void forEachTile(llvm::function_ref<void(const Tile &)> body);

  /// The rows of the tile's matrix: those of its slice, or all.
  void forEachRows(const Tile &tile, int64_t most,
                   llvm::function_ref<void(const FoundRows &)> body);

  /// Makes the tile's columns of the rows of its slice that choose no matrix
  /// zero, unless they are added to something; the tiles of the first matrix do
  /// it.
  void clearOthers(const Tile &tile);

  /// `numbers`, `count` of them, as `load` gives them where `condition` holds,
  /// else zeros.
  Values loadIf(Value condition, int64_t count,
                llvm::function_ref<Values()> load);
  /// What sums are added to where the result's elements lie, if anything.
  Values loadInitial(Value condition, int64_t count,
                     llvm::function_ref<Values()> load);

  /// Numbers of f32 that a thread keeps.
  Values makeNumbers(int64_t count);
  Values get(llvm::ArrayRef<Value> numbers) const;
  void set(llvm::ArrayRef<Value> numbers, llvm::ArrayRef<Value> values) const;
  /// A loop over [0, last) with values that are carried.
  Values loop(int64_t first, int64_t last, int64_t step, Values carried,
              llvm::function_ref<Values(Value, Values)> body);

  KernelEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexArithmetic indices;
  Arithmetic m; ///< of f32
  GroupedWarpTiles tiles;

private:
  GroupedMemory getMemory(mlir::Operation *op, unsigned operand,
                          llvm::ArrayRef<int64_t> alignments);
  GroupedMemory getResult(mlir::Operation *op,
                          llvm::ArrayRef<int64_t> alignments);
  ChosenRows getChosen(mlir::Operation *op);

protected:
  GroupedMemory lhs, rhs, result;

private:
  /// Columns of a tile that a thread clears.
  static constexpr int64_t kCleared = GroupedWarpTiles::kColumns / kWarpThreads;

  ChosenRows chosen;
  Storing storing;
};

/// Writes the kernel of an accel.grouped_matmul or accel.grouped_outer, whose
/// tiles are those of GroupedWarpTiles.
void emitGroupedWarpKernel(KernelEmitter &emitter, mlir::Operation *op,
                           llvm::ArrayRef<int64_t> alignments);
/// The same by matrix instructions.
void emitGroupedMatrixKernel(KernelEmitter &emitter, mlir::Operation *op,
                             llvm::ArrayRef<int64_t> alignments);

} // namespace accel

#endif
