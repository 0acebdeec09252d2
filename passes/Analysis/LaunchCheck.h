// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a launch and its kernel say the same of each other. Verifiers use it;
// what they verify does not.
#ifndef ACCEL_PASSES_ANALYSIS_LAUNCHCHECK_H
#define ACCEL_PASSES_ANALYSIS_LAUNCHCHECK_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/SymbolTable.h"

namespace accel {

/// The kernel of `launch` exists; the buffers have the types of its arguments
/// and results, in their order, and the accesses that follow from its
/// signature: what an argument stands for is read, a result is stored or added.
/// In each variant of the module the workspace is large enough, and buffers are
/// cut over ranks where the launch is, between the same tiles. Emits the first
/// fault.
llvm::LogicalResult checkLaunch(plan::LaunchOp launch,
                                const mlir::SymbolTable &symbols);

} // namespace accel

#endif
