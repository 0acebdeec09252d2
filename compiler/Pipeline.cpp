// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line per phase.
#include "compiler/Pipeline.h"

#include "passes/Fuse/FusePipeline.h"
#include "passes/Lower/LowerPipeline.h"
#include "passes/Memory/MemoryPipeline.h"
#include "passes/Partition/PartitionPipeline.h"
#include "passes/Schedule/SchedulePipeline.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace accel {
namespace {

LogicalResult check(const absl::Status &status, ModuleOp module) {
  if (status.ok()) {
    return success();
  }
  return emitError(UnknownLoc::get(module.getContext()),
                   std::string(status.message()));
}

} // namespace

void buildPhase(OpPassManager &manager, Phase phase,
                const CompilerOptions &options) {
  switch (phase) {
  case Phase::Frontend:
    return;
  case Phase::Import:
    return buildImportPipeline(manager, options.import);
  case Phase::Differentiate:
    return buildDifferentiatePipeline(manager, options.differentiate);
  case Phase::Accumulate:
    return buildAccumulatePipeline(manager, options.accumulate);
  case Phase::Shard:
    return buildShardPipeline(manager, options.shard);
  case Phase::Partition:
    return buildPartitionPipeline(manager);
  case Phase::Fuse:
    return buildFusePipeline(manager, options.target);
  case Phase::Schedule:
    return buildSchedulePipeline(manager, {options.maxRanks, options.target});
  case Phase::Memory:
    return buildMemoryPipeline(manager, options.target);
  case Phase::Lower:
    return buildLowerPipeline(manager);
  }
}

LogicalResult runPhase(ModuleOp module, Phase phase,
                       const CompilerOptions &options, TimingScope timing) {
  PassManager manager(module.getContext());
  manager.enableTiming(timing);
  buildPhase(manager, phase, options);
  return manager.run(module);
}

std::string getDumpPath(Phase phase, StringRef folder) {
  return runtime::JoinPath(folder.str(), llvm::formatv("{0:2}-{1}.mlir",
                                                       static_cast<int>(phase),
                                                       getPhaseInfo(phase).name)
                                             .str());
}

LogicalResult dumpPhase(ModuleOp module, runtime::Vfs &vfs, Phase phase,
                        const std::string &folder) {
  if (failed(check(runtime::MakeDirectories(vfs, folder), module))) {
    return failure();
  }
  return writeModule(module, vfs, getDumpPath(phase, folder));
}

LogicalResult writeModule(ModuleOp module, runtime::Vfs &vfs,
                          const std::string &path) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << "\n";
  return check(runtime::WriteFileAtomically(vfs, path, text), module);
}

} // namespace accel
