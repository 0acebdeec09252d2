// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of gradients are filled with zeros, and when.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_GRADIENTCLEARING_H
#define ACCEL_PASSES_FUSE_BUFFERS_GRADIENTCLEARING_H

#include "passes/Fuse/Buffers/SymbolBuffers.h"

namespace accel {

/// In front of `loop`, clears the gradients that begin at zero in each step:
/// all but those that begin with what kernels store (`plan.stored`), and those
/// of which a rank holds a part, which PlaceReductions lets begin.
void clearGradients(plan::RepeatOp loop, SymbolBuffers &symbols);

/// At the end of `initialize`, clears what no kernel stores of the gradients
/// with `plan.stored`, as no parameter lies there: it is zero from then on.
void clearGradientGaps(mlir::func::FuncOp initialize, SymbolBuffers &symbols,
                       BufferDeclarations &declarations);

} // namespace accel

#endif
