// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations that draw random numbers verify alike.
#ifndef ACCEL_DIALECTS_ACCEL_IR_RANDOMCHECKS_H
#define ACCEL_DIALECTS_ACCEL_IR_RANDOMCHECKS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/APFloat.h"

namespace accel {

/// Emits an error on `op` unless the probability of dropping an element lies in
/// [0, 1).
mlir::LogicalResult verifyProbability(mlir::Operation *op,
                                      const llvm::APFloat &probability);

} // namespace accel

#endif
