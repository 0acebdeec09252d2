// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the phases of a compilation, with the remarks and dumps that the user
// asked for.
#ifndef ACCEL_COMPILER_PHASERUNNER_H
#define ACCEL_COMPILER_PHASERUNNER_H

#include "compiler/CompilationTimes.h"
#include "compiler/Diagnostics.h"
#include "compiler/ExitCode.h"
#include "compiler/Options.h"
#include "compiler/Remarks.h"
#include "passes/Lower/LowerPipeline.h"
#include "runtime/io/vfs.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Where the user is to see what a phase does, and what it takes. Borrowed.
struct PhaseObservers {
  runtime::Vfs &vfs; ///< takes the dumps
  DiagnosticPrinter &diagnostics;
  CompilationTimes &times;
};

/// What goes wrong has been printed when a method returns. Borrows: all.
class PhaseRunner {
public:
  PhaseRunner(const CompilerOptions &options, mlir::MLIRContext &context,
              const PhaseObservers &observers)
      : options(options), vfs(observers.vfs),
        diagnostics(observers.diagnostics), times(observers.times),
        remarks(context, options.remarks) {}

  /// Runs all phases that change the module in place, up to the one that the
  /// options stop after.
  ExitCode run(mlir::ModuleOp module);
  /// Makes `code` of the module, which stays as Memory left it.
  ExitCode lower(mlir::ModuleOp module, LoweredCode &code);
  /// Finds out whether there is code for the module.
  ExitCode checkLower(mlir::ModuleOp module);

  /// Reports that `phase` failed. What the phases from Fuse on refuse, the ones
  /// before should not have let through, unless it has a code.
  ExitCode fail(Phase phase);

private:
  ExitCode runOne(mlir::ModuleOp module, const PhaseInfo &info);
  ExitCode checkSamples(mlir::ModuleOp module);
  ExitCode dump(mlir::ModuleOp module, Phase phase);
  ExitCode dumpLower(mlir::ModuleOp module);

  const CompilerOptions &options;
  runtime::Vfs &vfs;
  DiagnosticPrinter &diagnostics;
  CompilationTimes &times;
  PhaseRemarks remarks;
};

} // namespace accel

#endif
