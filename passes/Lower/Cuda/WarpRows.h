// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of heads, and loops over them that the threads of a warp share.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPROWS_H
#define ACCEL_PASSES_LOWER_CUDA_WARPROWS_H

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Loops/HeadTensor.h"

namespace accel {

/// Loops over the columns of rows. Numbers between loads and stores are f32.
/// Borrows: the emitter.
class WarpRows {
public:
  using Value = mlir::Value;

  explicit WarpRows(KernelEmitter &emitter)
      : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()) {
  }

  /// Row `row` of head `head` of sample `batch`, a buffer of its columns.
  Value getRow(const HeadTensor &tensor, Value batch, Value head,
               Value row) const;

  /// A number that each thread keeps for itself.
  Value makeNumber() const;
  Value get(Value number) const;
  void set(Value number, Value value) const;
  /// A row that the threads of a warp keep, each its own columns.
  Value makeRow(int64_t columns) const;
  void clear(Value row) const;

  /// The sum of products of two rows of memory, the same in all threads.
  Value dot(const HeadTensor &a, Value aRow, const HeadTensor &b,
            Value bRow) const;
  /// kept = kept * decay + row * factor, column by column; no decay: it stays.
  void accumulate(Value kept, Value decay, const HeadTensor &tensor, Value row,
                  Value factor) const;
  /// row = kept * factor
  void store(Value kept, Value factor, const HeadTensor &tensor,
             Value row) const;

private:
  /// One loop over neighbours: `body` gets the elements of `inputs` and then
  /// that of `output`, and gives what it becomes.
  void sweep(mlir::ValueRange inputs, Value output,
             llvm::function_ref<Value(mlir::OpBuilder &, mlir::ValueRange)>
                 body) const;
  Value toFloat(mlir::OpBuilder &inside, Value stored,
                mlir::Type element) const;

  KernelEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace accel

#endif
