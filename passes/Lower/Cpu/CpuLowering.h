// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for x86-64 processors: loops of wide vectors, then machine code.
#ifndef ACCEL_PASSES_LOWER_CPU_CPULOWERING_H
#define ACCEL_PASSES_LOWER_CPU_CPULOWERING_H

#include "passes/Lower/TargetLowering.h"

namespace accel {

class CpuLowering : public TargetLowering {
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
