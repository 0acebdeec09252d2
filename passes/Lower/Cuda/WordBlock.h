// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of elements in a thread's registers, and the byte permutations that
// turn it.
#ifndef ACCEL_PASSES_LOWER_CUDA_WORDBLOCK_H
#define ACCEL_PASSES_LOWER_CUDA_WORDBLOCK_H

#include "mlir/IR/Builders.h"

namespace accel {

/// Rows of elements as words (i32), the element with the smallest index in the
/// lowest bits.
class WordBlock {
public:
  using Value = mlir::Value;
  using Words = llvm::SmallVector<Value>;
  static constexpr int64_t kWordBytes = 4;

  /// Elements of 1, 2, 4 or 8 bytes.
  explicit WordBlock(int64_t elementBytes) : elementBytes(elementBytes) {}

  size_t countRows() const { return rows.size(); }
  llvm::ArrayRef<Value> getRow(size_t row) const { return rows[row]; }
  void addRow(Words words) { rows.push_back(std::move(words)); }

  /// The block with rows for columns. Operations are built at the insertion
  /// point of `builder`. Requires: rows of the same length; rows and columns
  /// fill words.
  WordBlock transposed(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  int64_t elementBytes;
  llvm::SmallVector<Words> rows;
};

/// One access of `bytes` bytes of `buffer`, from element `at` on, a multiple of
/// them: as words, or as the low bits of one.
WordBlock::Words loadWords(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value buffer, mlir::Value at, int64_t bytes);
void storeWords(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::ArrayRef<mlir::Value> words, mlir::Value buffer,
                mlir::Value at, int64_t bytes);

} // namespace accel

#endif
