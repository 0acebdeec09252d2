// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes and names by which Fuse and Schedule agree on how the
// gradients of microbatches are added up.
#ifndef ACCEL_PASSES_ANALYSIS_GRADIENTACCUMULATION_H
#define ACCEL_PASSES_ANALYSIS_GRADIENTACCUMULATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

namespace accel {

/// Of the gradient slot of a segment: it begins with what a kernel stores, and
/// nobody has to clear it.
inline constexpr llvm::StringLiteral kStoredAttr = "plan.stored";
/// The state, one i1, that is false in the first microbatch of a step.
inline constexpr llvm::StringLiteral kAccumulatingState = "accumulating";
/// Of a kernel that adds a rank's part of the sum of a microbatch's gradients
/// to what the rank holds. Its operands are the sum and the state above.
inline constexpr llvm::StringLiteral kAddsReducedAttr = "plan.adds_reduced";

/// Whether `buffer` is of that state.
bool isAccumulatingFlag(mlir::Value buffer);

/// The kernel of `module` with that attribute for segments of `type`, which
/// stores its operand where the state is false. Null if there is none.
mlir::func::FuncOp findAddingKernel(mlir::ModuleOp module,
                                    mlir::RankedTensorType type);

} // namespace accel

#endif
