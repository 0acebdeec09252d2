// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for NVIDIA GPUs: loops that warps execute, then PTX.
#ifndef ACCEL_PASSES_LOWER_CUDA_CUDALOWERING_H
#define ACCEL_PASSES_LOWER_CUDA_CUDALOWERING_H

#include "passes/Lower/TargetLowering.h"

namespace accel {

class CudaLowering : public TargetLowering {
public:
  void addPasses(mlir::OpPassManager &manager,
                 const LowerOptions &options) const override;
  void prepareTranslation(mlir::MLIRContext &context) const override;
  mlir::FailureOr<CodeImage> compile(mlir::ModuleOp code,
                                     const CodeVariant &variant,
                                     const CodeTools &tools) const override;
};

} // namespace accel

#endif
