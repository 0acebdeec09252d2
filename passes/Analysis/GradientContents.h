// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in gradients while a step runs.
#ifndef ACCEL_PASSES_ANALYSIS_GRADIENTCONTENTS_H
#define ACCEL_PASSES_ANALYSIS_GRADIENTCONTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel {

/// Of the gradient slot of a segment: it begins with what a kernel stores, and
/// nobody has to clear it.
inline constexpr llvm::StringLiteral kStoredAttr = "plan.stored";
/// The state, one i1, that is false in the first microbatch of a step.
inline constexpr llvm::StringLiteral kAccumulatingState = "accumulating";

/// Whether `buffer` is of that state.
bool isAccumulatingFlag(mlir::Value buffer);

/// The kernel that adds a rank's part of the sum of a microbatch's gradients,
/// of a segment with so many elements, to what the rank holds. Its operands are
/// the sum, the state above and what is held.
std::string getAccumulateKernelName(int64_t elements);

/// Proves that every byte of a gradient that function `step` of the module
/// reads or adds to was written in the same step (a transient one's: in the
/// same microbatch), or cleared by `init` and written by no kernel since; and
/// that nothing is stored over a contribution. Otherwise an error that names
/// the instruction. Requires: plan instructions, if there are these functions.
llvm::LogicalResult verifyGradientContents(mlir::SymbolTable &symbols);

} // namespace accel

#endif
