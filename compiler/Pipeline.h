// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs phases and shows what they made of a module.
#ifndef ACCEL_COMPILER_PIPELINE_H
#define ACCEL_COMPILER_PIPELINE_H

#include "compiler/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// Adds the passes of `phase`; the frontend has none.
void buildPhase(mlir::OpPassManager &manager, Phase phase,
                const CompilerOptions &options);

/// Runs `phase` on a module as the phase before left it.
mlir::LogicalResult runPhase(mlir::ModuleOp module, Phase phase,
                             const CompilerOptions &options,
                             mlir::TimingScope timing = mlir::TimingScope());

/// Writes `module` to NN-phase.mlir in `folder`, which is made if it is not
/// there.
mlir::LogicalResult dumpPhase(mlir::ModuleOp module, Phase phase,
                              llvm::StringRef folder);

/// Writes the whole text of `module` to `path` ("-": standard output). The file
/// appears complete or not at all.
mlir::LogicalResult writeModule(mlir::ModuleOp module, llvm::StringRef path);

} // namespace accel

#endif
