// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a warp do together.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPOPS_H
#define ACCEL_PASSES_LOWER_CUDA_WARPOPS_H

#include "passes/Target/Cuda/CudaTarget.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace accel {

/// Builds operations at the insertion point of a builder, where all threads of
/// a warp are. Borrows: the builder.
class WarpOps {
public:
  using Value = mlir::Value;

  WarpOps(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// The thread's place in its warp, an index.
  Value threadIndex() const;
  /// Whether it is the warp's first thread.
  Value isFirst() const;
  /// Waits for all threads of the warp, which then see what each has stored.
  void synchronize() const;
  /// A word whose bit t says whether `condition` holds in thread t.
  Value ballot(Value condition) const;
  /// `value` of the thread whose place differs in the bit of `distance`, a
  /// power of two. Requires: a float or an integer of up to 64 bits.
  Value exchange(Value value, int64_t distance) const;
  /// `value`, an f32 or i32, of the thread whose place is `thread`, an index.
  Value readFrom(Value value, Value thread) const;

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  /// `value`, of 32 bits, of the thread that `kind` and `which`, an i32, say.
  Value shuffle(Value value, Value which, mlir::NVVM::ShflKind kind) const;
  Value exchangeWord(Value word, int64_t distance) const;
  Value word(int64_t value) const;
};

} // namespace accel

#endif
