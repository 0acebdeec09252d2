// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitters, one per kind of kernel. Each writes the code between the
// function's entry and its return, and reports what it cannot through the
// emitter.
#ifndef ACCEL_PASSES_LOWER_LOOPS_KERNELS_H
#define ACCEL_PASSES_LOWER_LOOPS_KERNELS_H

namespace accel {

class KernelEmitter;
struct TurnedResult;

/// Element by element over tiles [begin, end), operands in the same order or
/// single numbers.
void emitFlatKernel(KernelEmitter &emitter);

/// Row by row over [begin, end).
void emitRowKernel(KernelEmitter &emitter);

/// Rows of tiles [begin, end), of which one result is stored in transposed
/// order as well.
void emitTurnedKernel(KernelEmitter &emitter, const TurnedResult &turned);

/// Sums over rows for the columns of tiles [begin, end). Their order depends on
/// the rows alone.
void emitColumnKernel(KernelEmitter &emitter);

/// Rows [begin, end) put together from parts.
void emitConcatKernel(KernelEmitter &emitter);

} // namespace accel

#endif
