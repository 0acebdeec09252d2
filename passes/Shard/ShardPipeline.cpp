// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Shard as one pipeline.
#include "passes/Shard/ShardPipeline.h"

#include "passes/Shard/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace accel;

void accel::buildShardPipeline(mlir::OpPassManager &manager,
                               const ShardOptions &options) {
  manager.addPass(createAssignBucketsPass({options.decayRank}));
  manager.addPass(createShardStatesPass({options.mode}));
  // The update is written over the slots that the buckets declare.
  manager.addPass(createExpandUpdatePass());
  manager.addPass(createVerifyShardPass());
}

namespace {

struct ShardPipelineOptions
    : public mlir::PassPipelineOptions<ShardPipelineOptions> {
  Option<int64_t> decayRank{
      *this, "decay-rank",
      llvm::cl::desc("parameters of this rank or more decay"),
      llvm::cl::init(2)};
  Option<dist::ShardingMode> mode{
      *this, "mode", llvm::cl::desc("of which slots ranks hold parts"),
      llvm::cl::values(
          clEnumValN(dist::ShardingMode::Plain, "plain", "of none"),
          clEnumValN(dist::ShardingMode::Zero1, "zero1",
                     "of what the optimizer keeps"),
          clEnumValN(dist::ShardingMode::Zero2, "zero2", "of gradients, too"),
          clEnumValN(dist::ShardingMode::FSDP, "fsdp", "of parameters, too")),
      llvm::cl::init(dist::ShardingMode::Plain)};
};

} // namespace

void accel::registerShardPipeline() {
  mlir::PassPipelineRegistration<ShardPipelineOptions>(
      "accel-shard", "phase Shard",
      [](mlir::OpPassManager &manager, const ShardPipelineOptions &flags) {
        buildShardPipeline(manager, ShardOptions{flags.decayRank, flags.mode});
      });
}
