// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which powers of two divide an index that is known at run time only.
#ifndef ACCEL_PASSES_LOWER_INDEXDIVISOR_H
#define ACCEL_PASSES_LOWER_INDEXDIVISOR_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace accel {

/// A power of two, as large as can be proven up to 2^12, that divides `index`
/// whatever the arguments of the function are.
int64_t getKnownDivisor(mlir::Value index);
int64_t getKnownDivisor(mlir::OpFoldResult index);

} // namespace accel

#endif
