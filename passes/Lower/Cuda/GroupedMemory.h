// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands and results of grouped products in a GPU's memory.
#ifndef ACCEL_PASSES_LOWER_CUDA_GROUPEDMEMORY_H
#define ACCEL_PASSES_LOWER_CUDA_GROUPEDMEMORY_H

#include "mlir/IR/Builders.h"

namespace accel {

/// Elements that lie in one piece. Accesses are as long as they may be: places
/// are multiples of `step` elements. Builds operations at the insertion point
/// of a builder, which it borrows.
class GroupedMemory {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  /// From element `first` of a buffer on, which begins at a multiple of
  /// `alignment` bytes. `element`: what the buffer's elements stand for.
  GroupedMemory(mlir::OpBuilder &builder, mlir::Location loc, Value buffer,
                int64_t first, mlir::Type element, int64_t alignment);

  /// `count` elements from `at` on, as f32.
  Values load(Value at, int64_t count, int64_t step) const;
  /// Stores numbers of f32, rounded.
  void store(llvm::ArrayRef<Value> numbers, Value at, int64_t step) const;

  /// Words of two elements of 16 bits each, i32.
  Values loadWords(Value at, int64_t count, int64_t step) const;
  void storeWords(llvm::ArrayRef<Value> words, Value at, int64_t step) const;

private:
  int64_t accessElements(int64_t count, int64_t step) const;
  int64_t accessBytes(int64_t count, int64_t step) const;
  /// Elements as the buffer has them.
  Values loadStored(Value at, int64_t count, int64_t step) const;
  void storeStored(llvm::ArrayRef<Value> stored, Value at, int64_t step) const;
  Value placeOf(Value at, int64_t further) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  Value buffer;
  int64_t first;
  mlir::Type element;
  int64_t bytes;     ///< of an element
  int64_t alignment; ///< of `first`
};

} // namespace accel

#endif
