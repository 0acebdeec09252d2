// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line per phase.
#include "compiler/Pipeline.h"

#include "passes/Fuse/FusePipeline.h"
#include "passes/Lower/LowerPipeline.h"
#include "passes/Memory/MemoryPipeline.h"
#include "passes/Partition/PartitionPipeline.h"
#include "passes/Precision/Passes.h"
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

/// Adds the passes of `phase`; the frontend has none. Lower's are those of the
/// device that `module` is planned for.
LogicalResult buildPhase(OpPassManager &manager, ModuleOp module, Phase phase,
                         const CompilerOptions &options) {
  switch (phase) {
  case Phase::Frontend:
    break;
  case Phase::Import:
    buildImportPipeline(manager, options.import);
    break;
  case Phase::Differentiate:
    if (options.infers) {
      buildUndifferentiatedPipeline(manager);
    } else {
      buildDifferentiatePipeline(manager, options.differentiate);
    }
    break;
  case Phase::Precision:
    buildPrecisionPipeline(manager, options.precision, options.target);
    break;
  case Phase::Accumulate:
    if (options.infers) {
      buildInferencePipeline(manager);
    } else {
      buildAccumulatePipeline(manager, options.accumulate);
    }
    break;
  case Phase::Shard:
    buildShardPipeline(manager, options.shard);
    break;
  case Phase::Partition:
    buildPartitionPipeline(manager);
    break;
  case Phase::Fuse:
    buildFusePipeline(manager, options.target, options.precision.tf32);
    // What was decided for products is still what their kernels compute.
    manager.addPass(createVerifyPrecisionPass());
    break;
  case Phase::Schedule:
    buildSchedulePipeline(manager, {options.maxRanks, options.target});
    break;
  case Phase::Memory:
    buildMemoryPipeline(manager, options.target);
    break;
  case Phase::Lower:
    return buildLowerPipeline(manager, module);
  }
  return success();
}

} // namespace

LogicalResult runPhase(ModuleOp module, Phase phase,
                       const CompilerOptions &options, TimingScope timing) {
  PassManager manager(module.getContext());
  manager.enableTiming(timing);
  if (failed(buildPhase(manager, module, phase, options))) {
    return failure();
  }
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
