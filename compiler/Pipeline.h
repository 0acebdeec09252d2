// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs phases and shows what they made of a module.
#ifndef ACCEL_COMPILER_PIPELINE_H
#define ACCEL_COMPILER_PIPELINE_H

#include "compiler/Options.h"
#include "runtime/io/vfs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"

namespace accel {

/// Runs `phase` on a module as the phase before left it.
mlir::LogicalResult runPhase(mlir::ModuleOp module, Phase phase,
                             const CompilerOptions &options,
                             mlir::TimingScope timing = mlir::TimingScope());

/// Where `dumpPhase` writes: NN-phase.mlir in `folder`.
std::string getDumpPath(Phase phase, llvm::StringRef folder);

/// Writes `module` there, and makes the folder if it does not exist.
mlir::LogicalResult dumpPhase(mlir::ModuleOp module, runtime::Vfs &vfs,
                              Phase phase, const std::string &folder);

/// Writes the whole text of `module` to `path`, as AtomicFile does.
mlir::LogicalResult writeModule(mlir::ModuleOp module, runtime::Vfs &vfs,
                                const std::string &path);

} // namespace accel

#endif
