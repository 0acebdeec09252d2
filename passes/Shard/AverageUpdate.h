// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step does with the averages of parameters.
#ifndef ACCEL_PASSES_SHARD_AVERAGEUPDATE_H
#define ACCEL_PASSES_SHARD_AVERAGEUPDATE_H

#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Moves the average of each of `segments` towards what the block of `b` has
/// written to its master, where `module` keeps averages. A step that is not
/// finite does not move it.
void buildAverageUpdate(UpdateBuilder &b, mlir::ModuleOp module,
                        llvm::ArrayRef<TrainedSegment> segments);

} // namespace accel

#endif
