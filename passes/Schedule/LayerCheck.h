// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether instructions work for the layers that they name.
#ifndef ACCEL_PASSES_SCHEDULE_LAYERCHECK_H
#define ACCEL_PASSES_SCHEDULE_LAYERCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Checks the layers of the instructions of `function` against the buckets of
/// its module: what touches slots of one layer, and no others, names it, and
/// nothing names another one. Memory in which buckets take turns may hold slots
/// of any layer. An error on the first that is wrong. Says nothing if no
/// instruction has one.
llvm::LogicalResult checkLayers(mlir::func::FuncOp function);

} // namespace accel

#endif
