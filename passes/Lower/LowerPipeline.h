// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phase Lower as a whole: from the kernels of a planned module to machine
// code for several kinds of processors.
#ifndef ACCEL_PASSES_LOWER_LOWERPIPELINE_H
#define ACCEL_PASSES_LOWER_LOWERPIPELINE_H

#include "passes/Lower/Codegen.h"

#include "mlir/Support/Timing.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

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

struct LowerOptions {
  std::string variant; ///< to write code for; none: the first of the module
  int64_t lanes = 64;  ///< that reductions are cut into
};

/// From functions with `plan.kernel` to functions of vectors, memrefs and scf
/// beside them.
void buildLowerPipeline(mlir::OpPassManager &manager,
                        const LowerOptions &options = {});

/// The variants of a module that AssignGeometry has declared.
std::vector<CodeVariant> getVariants(mlir::ModuleOp module);

/// Machine code for every function of `module` with the attribute
/// `plan.kernel`, in every variant. `module` is not changed. An error names the
/// kernel and the operation that has no code. Variants are compiled at the same
/// time if the module's context has threads.
mlir::FailureOr<LoweredCode>
lowerKernels(mlir::ModuleOp module, llvm::ArrayRef<CodeVariant> variants,
             mlir::TimingScope timing = mlir::TimingScope());

/// Finds out whether `lowerKernels` would fail: all of it but the machine code,
/// which takes three quarters of its time and which no model makes fail.
mlir::LogicalResult checkKernels(mlir::ModuleOp module,
                                 llvm::ArrayRef<CodeVariant> variants,
                                 mlir::TimingScope timing);

} // namespace accel

#endif
