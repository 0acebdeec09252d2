// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in gradients while a step runs. Verifiers use it; what they verify
// does not.
#ifndef ACCEL_PASSES_ANALYSIS_GRADIENTCONTENTS_H
#define ACCEL_PASSES_ANALYSIS_GRADIENTCONTENTS_H

#include "mlir/IR/SymbolTable.h"

namespace accel {

/// Proves that every byte of a gradient that function `step` of the module
/// reads or adds to was written in the same step (a transient one's: in the
/// same microbatch), or cleared by `init` and written by no kernel since; and
/// that nothing is stored over a contribution. Otherwise an error that names
/// the instruction. Requires: plan instructions, if there are these functions.
llvm::LogicalResult verifyGradientContents(mlir::SymbolTable &symbols);

} // namespace accel

#endif
