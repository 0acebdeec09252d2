// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the function that initializes leaves in states.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_INITIALSTATES_H
#define ACCEL_PASSES_FUSE_BUFFERS_INITIALSTATES_H

#include "passes/Fuse/Buffers/SymbolBuffers.h"

namespace accel {

/// `initialize` computes whole slots of which a rank holds a part: keeps the
/// part of each as soon as its slot is complete.
void storeInitialParts(mlir::func::FuncOp initialize, SymbolBuffers &symbols,
                       BufferDeclarations &declarations);

/// Loads the weights that came with the model at the end of `initialize`.
void loadWeights(mlir::func::FuncOp initialize, SymbolBuffers &symbols);

} // namespace accel

#endif
