// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Shard as one pipeline.
#ifndef ACCEL_PASSES_SHARD_SHARDPIPELINE_H
#define ACCEL_PASSES_SHARD_SHARDPIPELINE_H

#include "dialects/Dist/IR/DistDialect.h"

#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct ShardOptions {
  /// Parameters of this rank or more decay.
  int64_t decayRank = 2;
  dist::ShardingMode mode = dist::ShardingMode::Plain;
};

/// From parameters to segments and an explicit optimizer.
void buildShardPipeline(mlir::OpPassManager &manager,
                        const ShardOptions &options);

/// Registers the pipeline as `accel-shard`.
void registerShardPipeline();

} // namespace accel

#endif
