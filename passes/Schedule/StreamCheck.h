// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether every instruction runs on a stream that exists.
#ifndef ACCEL_PASSES_SCHEDULE_STREAMCHECK_H
#define ACCEL_PASSES_SCHEDULE_STREAMCHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Either no instruction of `module` names its stream, or all do, and the
/// module declares it. Emits the first fault.
llvm::LogicalResult checkStreams(mlir::ModuleOp module);

} // namespace accel

#endif
