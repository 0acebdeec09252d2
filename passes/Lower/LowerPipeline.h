// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phase Lower as a whole: from the kernels of a planned module to machine
// code for several variants, of devices of any kind.
#ifndef ACCEL_PASSES_LOWER_LOWERPIPELINE_H
#define ACCEL_PASSES_LOWER_LOWERPIPELINE_H

#include "passes/Lower/TargetLowering.h"

#include "mlir/Support/Timing.h"

#include <string>
#include <vector>

namespace accel {

/// Code for one kind of processor.
struct VariantCode {
  CodeVariant variant;
  CodeImage image; ///< entries in the order of `LoweredCode::kernels`
};

struct LoweredCode {
  std::vector<std::string> kernels; ///< in the order of the module
  std::vector<VariantCode> variants;
};

/// From functions with `plan.kernel` to functions of vectors, memrefs and scf
/// beside them, as the first variant of `module` and its device want them.
mlir::LogicalResult buildLowerPipeline(mlir::OpPassManager &manager,
                                       mlir::ModuleOp module);

/// The variants of a module that AssignGeometry has declared.
std::vector<CodeVariant> getVariants(mlir::ModuleOp module);

/// Machine code for every function of `module` with the attribute
/// `plan.kernel`, in every variant. `module` is not changed. An error names the
/// kernel and the operation that has no code. Variants are compiled at the same
/// time if the module's context has threads.
mlir::FailureOr<LoweredCode>
lowerKernels(mlir::ModuleOp module, llvm::ArrayRef<CodeVariant> variants,
             mlir::TimingScope timing = mlir::TimingScope(),
             const CodeTools &tools = {});

/// Finds out whether `lowerKernels` would fail: all of it but the machine code,
/// which takes three quarters of its time and which no model makes fail.
mlir::LogicalResult checkKernels(mlir::ModuleOp module,
                                 llvm::ArrayRef<CodeVariant> variants,
                                 mlir::TimingScope timing);

} // namespace accel

#endif
