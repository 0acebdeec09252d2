// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `accel-opt --run`: runs a function in the interpreter after the passes and
// prints what comes out.
#ifndef ACCEL_TOOLS_ACCEL_OPT_RUNFUNCTION_H
#define ACCEL_TOOLS_ACCEL_OPT_RUNFUNCTION_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace accel {

struct RunOptions {
  std::string function;
  int64_t seed = 0;
  int64_t steps = 1;
  int64_t microbatches = 1;
  std::string inputFile; ///< empty: none
  int64_t printLimit = 64;
  int digits = 6;
  bool roundResults = false;
};

/// Reads `input` and runs the passes of the command line as mlir-opt does
/// (with --split-input-file and --verify-diagnostics), then the function;
/// writes to `output`, a line each, its results, metrics, gradients, and
/// the parameters and states that it changed, instead of IR. Fails after
/// located errors. Requires: the command line is parsed.
mlir::LogicalResult runAfterPasses(const RunOptions &options,
                                   std::unique_ptr<llvm::MemoryBuffer> input,
                                   llvm::raw_ostream &output,
                                   mlir::DialectRegistry &registry);

} // namespace accel

#endif
