// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a function's arena is fullest: what the estimate prints and the plan
// records, found in one place so that they cannot differ.
#ifndef ACCEL_COMPILER_ARENAPEAK_H
#define ACCEL_COMPILER_ARENAPEAK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

struct PeakInstruction {
  mlir::Operation *op = nullptr;
  uint64_t number = 0;    ///< in the plan's function
  uint64_t liveBytes = 0; ///< at that instruction; the rest is gaps
};

/// The instruction at which most bytes of the function's transient buffers are
/// in use, the first one of several; none if the function has no instruction.
std::optional<PeakInstruction> findPeakInstruction(mlir::func::FuncOp function);

} // namespace accel

#endif
