// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter of copies that transpose.
#ifndef ACCEL_PASSES_LOWER_CPU_BLOCKTRANSPOSE_H
#define ACCEL_PASSES_LOWER_CPU_BLOCKTRANSPOSE_H

#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// A copy into another order whose tiles are kTransposedRows rows each
/// (TransposedOperand).
void emitBlockTranspose(KernelEmitter &emitter);

} // namespace accel

#endif
