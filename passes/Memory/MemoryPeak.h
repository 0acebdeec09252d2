// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the transient memory of a function is fullest.
#ifndef ACCEL_PASSES_MEMORY_MEMORYPEAK_H
#define ACCEL_PASSES_MEMORY_MEMORYPEAK_H

#include "passes/Memory/MemoryProblem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

struct PeakInstruction {
  uint64_t number = 0;    ///< in the plan's function
  uint64_t liveBytes = 0; ///< at that instruction; the rest is gaps
};

/// The instruction at which most bytes of the buffers of `problem`, which is
/// that of `function`, are in use, the first one of several; none if the
/// function has no instruction.
std::optional<PeakInstruction> findPeak(mlir::func::FuncOp function,
                                        const MemoryProblem &problem);

/// The instruction of `function` that has this number in the plan, where a loop
/// counts as one more in front of its body; null if there is none.
mlir::Operation *getNumbered(mlir::func::FuncOp function, uint64_t number);

} // namespace accel

#endif
