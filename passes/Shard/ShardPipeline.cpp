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
  Option<std::string> mode{*this, "mode",
                           llvm::cl::desc("plain, zero1, zero2 or fsdp"),
                           llvm::cl::init("plain")};
};

} // namespace

void accel::registerShardPipeline() {
  mlir::PassPipelineRegistration<ShardPipelineOptions>(
      "accel-shard", "phase Shard",
      [](mlir::OpPassManager &manager, const ShardPipelineOptions &flags) {
        buildShardPipeline(manager, ShardOptions{flags.decayRank, flags.mode});
      });
}
