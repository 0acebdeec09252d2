// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of a segment's slot that is exchanged in the loop.
#ifndef ACCEL_PASSES_SCHEDULE_SEGMENTBUFFERS_H
#define ACCEL_PASSES_SCHEDULE_SEGMENTBUFFERS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace accel {

/// Both ends of the exchange of a slot.
struct SegmentBuffer {
  StateOp state;
  plan::BufferOp held;  ///< the part that the rank holds, as long as the run
  plan::BufferOp whole; ///< all of it, in one microbatch
};

/// Finds what AssignBuffers has declared in a function for slots that a
/// collective in its loop names.
class SegmentBuffers {
public:
  explicit SegmentBuffers(mlir::func::FuncOp function);

  /// Of the slot `name`; an error on `exchange` if there are no such buffers.
  mlir::FailureOr<SegmentBuffer> find(mlir::Operation *exchange,
                                      mlir::StringAttr name);

  /// The buffer of the state `name` that lives as long as the run; null if the
  /// function has none.
  plan::BufferOp findPersistent(mlir::StringAttr name) const {
    return persistent.lookup(name);
  }

  /// Erases the buffer `whole` of a segment that lies elsewhere now, with views
  /// of it and of these.
  static void erase(mlir::Value whole);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::StringAttr, plan::BufferOp> persistent, wholes;
};

} // namespace accel

#endif
