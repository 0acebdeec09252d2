// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether collectives name the segments whose slots they move.
#ifndef ACCEL_PASSES_SCHEDULE_SEGMENTCHECK_H
#define ACCEL_PASSES_SCHEDULE_SEGMENTCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Every collective of `function` names the segment that lists the slot that it
/// moves, and no other: found in the module's buckets, where the passes that
/// make collectives ask the state. Emits the first fault.
llvm::LogicalResult checkSegments(mlir::func::FuncOp function);

} // namespace accel

#endif
