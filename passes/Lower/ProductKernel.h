// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter of kernels with a matrix product.
#ifndef ACCEL_PASSES_LOWER_PRODUCTKERNEL_H
#define ACCEL_PASSES_LOWER_PRODUCTKERNEL_H

#include "passes/Lower/KernelEmitter.h"

namespace accel {

/// The product `op` and what becomes of it element by element. `blockVectors`:
/// how many vectors of 16 the target keeps in registers beside each other, of
/// which products use two at most; the numbers do not depend on it.
void emitProductKernel(KernelEmitter &emitter, MatmulOp op,
                       int64_t blockVectors);

} // namespace accel

#endif
