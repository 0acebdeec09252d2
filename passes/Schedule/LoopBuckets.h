// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole segments in transient memory of a loop: which bucket each belongs to,
// who uses it, and their move into buffers that buckets take turns in.
#ifndef ACCEL_PASSES_SCHEDULE_LOOPBUCKETS_H
#define ACCEL_PASSES_SCHEDULE_LOOPBUCKETS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/BucketLiveRanges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// A live range and the segments that are used in it, each with its place in
/// the buffer.
struct BufferLiveRange {
  BucketLiveRange liveRange;
  /// From the buffer of the whole segment to the view that takes its place.
  llvm::MapVector<mlir::Value, mlir::Value> views;
};

/// The segments of one kind (gathered parameters, or gradients of one
/// microbatch) in the loop of a function.
/// Borrows: the function.
class LoopBuckets {
public:
  LoopBuckets(mlir::func::FuncOp function, plan::RepeatOp loop)
      : function(function), loop(loop) {}

  /// Adds `whole`, the buffer of all of a segment of `bucket`.
  void addSegment(mlir::Value whole, llvm::StringRef bucket);

  /// Plans live ranges for all instructions of the loop that use segments,
  /// gives them buffers of class `klass` in `space`, where a segment has room
  /// for `extraElements` more than it has, and rewrites the instructions to use
  /// those. The segments' own buffers have no use by instructions afterwards.
  llvm::LogicalResult assign(plan::MemoryClass klass, plan::Space space,
                             int64_t extraElements);

  llvm::ArrayRef<BufferLiveRange> getLiveRanges() const { return liveRanges; }
  /// The instructions that live ranges refer to.
  mlir::Operation *getInstruction(unsigned number) const {
    return instructions[number];
  }

private:
  llvm::SmallVector<unsigned, 2> getBuckets(mlir::Operation *op) const;
  mlir::Value getSegment(mlir::Value buffer) const;
  void declareBuffers(unsigned count, plan::MemoryClass klass,
                      plan::Space space, int64_t extraElements);
  void rewrite(mlir::Operation *op, unsigned number);

  mlir::func::FuncOp function;
  plan::RepeatOp loop;
  llvm::MapVector<mlir::Value, unsigned> segments; ///< to buckets
  llvm::SmallVector<std::string> buckets;
  std::vector<mlir::Operation *> instructions;
  std::vector<BufferLiveRange> liveRanges;
};

} // namespace accel

#endif
