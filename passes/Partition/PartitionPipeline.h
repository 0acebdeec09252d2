// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Partition as one pipeline.
#ifndef ACCEL_PASSES_PARTITION_PARTITIONPIPELINE_H
#define ACCEL_PASSES_PARTITION_PARTITIONPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// From the program of a rank alone to that of a rank among others.
void buildPartitionPipeline(mlir::OpPassManager &manager);

} // namespace accel

#endif
