// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that transpose what they copy or compute: as products of FP8 want
// their operands.
#ifndef ACCEL_PASSES_LOWER_CUDA_TRANSPOSEDCOPY_H
#define ACCEL_PASSES_LOWER_CUDA_TRANSPOSEDCOPY_H

#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// Writes a kernel that is cut as TransposeTiles says. Its operands and
/// results begin at multiples of `alignments` bytes; empty: nothing is known.
void emitTransposedCopy(KernelEmitter &emitter,
                        llvm::ArrayRef<int64_t> alignments);

} // namespace accel

#endif
