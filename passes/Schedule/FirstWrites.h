// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a buffer is stored before anything is added to it.
#ifndef ACCEL_PASSES_SCHEDULE_FIRSTWRITES_H
#define ACCEL_PASSES_SCHEDULE_FIRSTWRITES_H

#include "passes/Analysis/IndexRanges.h"
#include "passes/Analysis/KernelVariants.h"
#include "passes/Schedule/LoopBuckets.h"

namespace accel {

/// Instructions that are the first to add to a range of gradients store it
/// instead; everything else is filled with zeros.
/// Borrows: the buckets and the symbols.
class FirstWrites {
public:
  FirstWrites(const LoopBuckets &buckets, mlir::SymbolTable &symbols)
      : buckets(buckets), symbols(symbols) {}

  /// Fills what remains in the segments of a live range, at `builder`. Library
  /// calls store at once, kernels after `finish`.
  void addLiveRange(const BufferLiveRange &range, mlir::OpBuilder &builder);

  /// Of launch `add`, which adds what has been summed over ranks to what a rank
  /// holds: it always adds. Without a call it stores in the first microbatch.
  void addAddition(plan::LaunchOp add);

  /// Gives launches in `loop` the kernels that do so.
  void finish(plan::RepeatOp loop);

private:
  void visitUse(mlir::Operation *op, unsigned operand, mlir::Value view,
                IndexRanges &written, IndexRanges &touched);
  bool makeStore(mlir::Operation *op, unsigned operand);
  llvm::SmallVector<ResultMode> &modesOf(plan::LaunchOp launch);

  const LoopBuckets &buckets;
  mlir::SymbolTable &symbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ResultMode>> modes;
};

} // namespace accel

#endif
