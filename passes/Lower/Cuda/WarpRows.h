// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of heads, and loops over them that the threads of a warp share.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPROWS_H
#define ACCEL_PASSES_LOWER_CUDA_WARPROWS_H

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// A tensor of shape (batch, heads, rows, columns) where it lies.
struct HeadRows {
  mlir::Value buffer; ///< null: nobody wants it
  StridedView view;
  int64_t columns = 0;
  mlir::Type element;

  explicit operator bool() const { return static_cast<bool>(buffer); }

  /// A tensor that `op` reads: an argument of the kernel and where it lies
  /// there. Empty after an error.
  static HeadRows getOperand(KernelEmitter &emitter, mlir::Operation *op,
                             mlir::Value operand);
  /// Where result `number` of `op` goes, itself or transposed.
  static HeadRows getResult(KernelEmitter &emitter, mlir::Operation *op,
                            unsigned number);
};

/// Loops over the columns of rows. Numbers between loads and stores are f32.
/// Borrows: the emitter.
class WarpRows {
public:
  using Value = mlir::Value;

  explicit WarpRows(KernelEmitter &emitter)
      : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()) {
  }

  /// Row `row` of head `head` of sample `batch`, a buffer of its columns.
  Value getRow(const HeadRows &tensor, Value batch, Value head,
               Value row) const;

  /// A number that each thread keeps for itself.
  Value makeNumber() const;
  Value get(Value number) const;
  void set(Value number, Value value) const;
  /// A row that the threads of a warp keep, each its own columns.
  Value makeRow(int64_t columns) const;
  void clear(Value row) const;

  /// The sum of products of two rows of memory, the same in all threads.
  Value dot(const HeadRows &a, Value aRow, const HeadRows &b, Value bRow) const;
  /// kept = kept * decay + row * factor, column by column; no decay: it stays.
  void accumulate(Value kept, Value decay, const HeadRows &tensor, Value row,
                  Value factor) const;
  /// row = kept * factor
  void store(Value kept, Value factor, const HeadRows &tensor, Value row) const;

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
