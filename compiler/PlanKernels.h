// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code variants and kernels of a plan.
#ifndef ACCEL_COMPILER_PLANKERNELS_H
#define ACCEL_COMPILER_PLANKERNELS_H

#include "passes/Lower/LowerPipeline.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace accel {

class PlanKernels {
public:
  /// Adds all kernels of the module that have code.
  PlanKernels(mlir::ModuleOp module, const LoweredCode &code,
              planpb::Manifest &manifest);

  /// The index of a kernel, if it has code.
  std::optional<uint32_t> find(llvm::StringRef name) const;

private:
  llvm::StringMap<uint32_t> indices;
};

} // namespace accel

#endif
