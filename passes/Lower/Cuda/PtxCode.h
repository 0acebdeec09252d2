// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what each thread does to PTX.
#ifndef ACCEL_PASSES_LOWER_CUDA_PTXCODE_H
#define ACCEL_PASSES_LOWER_CUDA_PTXCODE_H

#include "passes/Lower/TargetLowering.h"

namespace accel {

// A kernel is `.entry kernel(.param .u64 buffer 0, ..., .param .u64 begin,
// .param .u64 end)`, launched with as many threads to a block as its geometry
// says, and enough blocks for a warp for each of the tiles [begin, end). It
// needs no shared memory but what it declares.

/// Makes a context ready for compilePtx, which may then be called from several
/// threads.
void preparePtx(mlir::MLIRContext &context);

/// One PTX module with every function of `codeModule`, which is in the dialects
/// of LLVM and NVVM. An error names what the code refers to outside itself. The
/// same input gives the same bytes.
mlir::FailureOr<CodeImage> compilePtx(mlir::ModuleOp codeModule,
                                      const CodeVariant &variant);

} // namespace accel

#endif
