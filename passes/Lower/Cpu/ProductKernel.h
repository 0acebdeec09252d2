// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter of kernels with a matrix product.
#ifndef ACCEL_PASSES_LOWER_CPU_PRODUCTKERNEL_H
#define ACCEL_PASSES_LOWER_CPU_PRODUCTKERNEL_H

#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// The product `op` and what becomes of it element by element, cut as the
/// emitter's geometry says; no number depends on that.
void emitProductKernel(KernelEmitter &emitter, MatmulOp op);

} // namespace accel

#endif
