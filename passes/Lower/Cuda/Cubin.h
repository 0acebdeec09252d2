// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From PTX to the code of one generation of GPUs.
#ifndef ACCEL_PASSES_LOWER_CUDA_CUBIN_H
#define ACCEL_PASSES_LOWER_CUDA_CUBIN_H

#include "passes/Lower/TargetLowering.h"

namespace accel {

/// The cubin of `ptx`, with the same kernels, whose launch bounds are searched
/// (LaunchBound.h). Errors, of ptxas among them, are emitted on `module`.
mlir::FailureOr<CodeImage> assemblePtx(mlir::ModuleOp module,
                                       const CodeImage &ptx,
                                       const CodeVariant &variant,
                                       const CodeTools &tools);

} // namespace accel

#endif
