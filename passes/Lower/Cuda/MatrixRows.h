// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A head's rows in memory as operands and results of matrix instructions.
#ifndef ACCEL_PASSES_LOWER_CUDA_MATRIXROWS_H
#define ACCEL_PASSES_LOWER_CUDA_MATRIXROWS_H

#include "passes/Lower/Cuda/MatrixOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/HeadTensor.h"

namespace accel {

/// A matrix of `columns` columns, a multiple of 16, whose rows are those of a
/// head. The order in which products are summed is free, and so is which column
/// an instruction takes for which: so that accesses are as long as can be, a
/// thread has neighbours in memory.
///
/// *Along* a row, what is summed are the columns: of 32 columns member m has
/// 8m to 8m + 7, of the last 16, if they are no 32, 4m to 4m + 3.
/// *Across* rows, what is summed are 16 rows; the columns are those of results:
/// of 64 columns group g has 8g to 8g + 7, one for each of eight instructions;
/// then of 32 and of 16 columns four and two.
///
/// Rows that do not exist are read as the last one, and not stored. Borrows:
/// the emitter.
class MatrixRows {
public:
  using Value = mlir::Value;
  using Lefts = llvm::SmallVector<MatrixOps::Left>;
  using Rights = llvm::SmallVector<MatrixOps::Right>;
  using Words = llvm::SmallVector<Value>; ///< i32
  using AllSums = llvm::SmallVector<MatrixOps::Sums>;

  /// Rows are read and stored in steps of `step`, all of whose rows exist where
  /// the tensor's are a multiple of it.
  MatrixRows(KernelEmitter &emitter, const HeadTensor &tensor, Value batch,
             Value head, int64_t step);

  /// Instructions that multiply along a row, and those that make all columns.
  int64_t depthSteps() const { return tensor.columns / MatrixOps::kDepth; }
  int64_t columnSteps() const { return tensor.columns / MatrixOps::kColumns; }
  /// How many words loadAlong and loadAcross give.
  size_t wordsAlong() const { return 2 * depthSteps(); }
  size_t wordsAcross() const { return 2 * columnSteps(); }

  /// 16 rows from `first` on, along: A, for each step of depth.
  Lefts readLeft(Value first) const;
  /// 8 rows from `first` on, along: what is loaded, and B of it, for each step
  /// of depth.
  Words loadAlong(Value first) const;
  static Rights asRights(llvm::ArrayRef<Value> words);
  /// 16 rows from `first` on, across: what is loaded, and B of it, for each
  /// step of columns.
  Words loadAcross(Value first) const;
  Rights asColumns(llvm::ArrayRef<Value> words) const;
  /// Stores sums of each step of columns, rounded, in 16 rows from `first` on.
  void store(const AllSums &sums, Value first) const;

private:
  /// The part of a row that belongs to this thread, in words.
  Words readAlong(Value row) const;
  /// Columns of results of which a thread has neighbours, from `column` on: one
  /// for each of `blocks` instructions.
  struct Chunk {
    int64_t column, blocks;
  };
  llvm::SmallVector<Chunk> getChunks() const;
  void storeRow(const AllSums &sums, unsigned half, Value row) const;
  Value clamped(Value row) const;
  Value place(Value row, Value column) const;
  Words load(Value at, int64_t words) const;

  KernelEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexArithmetic indices;
  MatrixOps ops;
  HeadTensor tensor;
  bool isWhole; ///< every row exists
  Value base;   ///< where the head begins in the buffer
};

} // namespace accel

#endif
