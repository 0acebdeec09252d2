// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost loop of every product: sums of a block of rows by vectors, in
// registers.
#ifndef ACCEL_PASSES_LOWER_CPU_REGISTERBLOCK_H
#define ACCEL_PASSES_LOWER_CPU_REGISTERBLOCK_H

#include "passes/Lower/Cpu/TileCode.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// Accumulators of a block of rows by vectors.
using Accumulators = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

/// Adds what a part of the summed index, from `first` to `last` - 1, makes to
/// sums.
using AddPart = llvm::function_ref<TileCode::Values(
    mlir::Value first, mlir::Value last, const TileCode::Values &sums)>;

/// Part of a product that is kept in registers: where its operands are read,
/// what its sums begin with, and what becomes of them. `scalarAt` and `lanesAt`
/// get the summed index.
struct RegisterBlock {
  int64_t rows, vectors;
  mlir::Value first, last; ///< of the summed index
  bool isWhole;            ///< whether both are multiples of `steps`
  llvm::function_ref<mlir::Value(int64_t row, mlir::Value k)> scalarAt;
  llvm::function_ref<mlir::Value(mlir::Value k, int64_t vector)> lanesAt;
  llvm::function_ref<mlir::Value(int64_t row, int64_t vector)> initial;
  llvm::function_ref<void(Accumulators &)> finish;
  int64_t steps = 4; ///< of the loop that stand one behind the other
  /// What a product is added to a sum by; null: an FMA.
  llvm::function_ref<mlir::Value(mlir::Value x, mlir::Value lanes,
                                 mlir::Value sum)>
      multiplyAdd = nullptr;
  /// Walks through the summed index in parts along which operands lie evenly;
  /// null: it is one part.
  llvm::function_ref<TileCode::Values(const TileCode::Values &sums, AddPart)>
      walk = nullptr;
};

/// Writes the loop, and what `finish` does behind it.
void emitRegisterBlock(const TileCode &code, const RegisterBlock &block);

} // namespace accel

#endif
