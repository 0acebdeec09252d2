// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the buffers that buckets are gathered into, instruction by
// instruction.
#ifndef ACCEL_PASSES_SCHEDULE_BUFFERCONTENTS_H
#define ACCEL_PASSES_SCHEDULE_BUFFERCONTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

/// A read of a buffer that does not hold what is read.
struct WrongContents {
  mlir::Operation *reader = nullptr;
  mlir::Value wanted; ///< the view that the last gather should have filled
};

/// Follows `function` in program order. Every iteration of its loop begins with
/// buffers that hold nothing.
std::optional<WrongContents> findWrongContents(mlir::func::FuncOp function);

} // namespace accel

#endif
