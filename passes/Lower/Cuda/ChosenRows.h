// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows that have chosen a matrix, as the threads of a warp find them.
#ifndef ACCEL_PASSES_LOWER_CUDA_CHOSENROWS_H
#define ACCEL_PASSES_LOWER_CUDA_CHOSENROWS_H

#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// Some of the rows that have chosen a matrix, in ascending order.
class FoundRows {
public:
  using Value = mlir::Value;

  FoundRows(mlir::OpBuilder &builder, mlir::Location loc, Value own,
            Value count)
      : builder(builder), loc(loc), own(own), count(count) {}

  /// How many there are, an index: at least one.
  Value getCount() const { return count; }
  /// The row at a place, which may differ between threads; behind the last one
  /// a row that exists. Requires: all threads of the warp ask.
  Value getRow(Value place) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Value own, count; ///< the row that this thread keeps, an i32
};

/// Looks for them. Borrows: the emitter.
class ChosenRows {
public:
  using Value = mlir::Value;

  /// `indices`: a buffer whose element `first` is the index of row 0.
  ChosenRows(KernelEmitter &emitter, Value indices, int64_t first);

  /// The index of a row.
  Value getIndex(Value row) const;

  /// Calls `body` with up to `most` rows at a time of those in [begin, end)
  /// whose index is `matrix`; of 32 threads each reads an index.
  void forEach(Value matrix, Value begin, Value end, int64_t most,
               llvm::function_ref<void(const FoundRows &)> body);

private:
  void loop(llvm::function_ref<Value()> condition,
            llvm::function_ref<void()> body);
  Value hasMore(Value end) const;
  void look(Value matrix, Value end);
  void take();

  KernelEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexArithmetic arithmetic;
  WarpOps ops;
  Value indices;
  int64_t first;
  /// Kept: where the next 32 begin, those that are being taken and which of
  /// them are left, a bit for each; how many rows have been taken, and this
  /// thread's.
  Value next, base, left, count, own;
};

} // namespace accel

#endif
