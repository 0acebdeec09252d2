// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line per phase.
#include "compiler/Pipeline.h"

#include "passes/Fuse/FusePipeline.h"
#include "passes/Lower/LowerPipeline.h"
#include "passes/Memory/MemoryPipeline.h"
#include "passes/Partition/PartitionPipeline.h"
#include "passes/Schedule/SchedulePipeline.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel {
namespace {

InFlightDiagnostic fileError(ModuleOp module, StringRef path) {
  return emitError(UnknownLoc::get(module.getContext())) << path << ": ";
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
    return buildFusePipeline(manager);
  case Phase::Schedule:
    return buildSchedulePipeline(manager, {options.maxRanks});
  case Phase::Memory:
    return buildMemoryPipeline(manager);
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

LogicalResult dumpPhase(ModuleOp module, Phase phase, StringRef folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder)) {
    return fileError(module, folder)
           << "cannot make the folder: " << code.message();
  }
  std::string name = llvm::formatv("{0:2}-{1}.mlir", static_cast<int>(phase),
                                   getPhaseInfo(phase).name);
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return writeModule(module, path);
}

LogicalResult writeModule(ModuleOp module, StringRef path) {
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) -> llvm::Error {
        module->print(stream);
        stream << "\n";
        return llvm::Error::success();
      });
  if (error) {
    return fileError(module, path)
           << "cannot write: " << llvm::toString(std::move(error));
  }
  return success();
}

} // namespace accel
