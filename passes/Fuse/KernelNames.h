// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels are called.
#ifndef ACCEL_PASSES_FUSE_KERNELNAMES_H
#define ACCEL_PASSES_FUSE_KERNELNAMES_H

#include "passes/Fuse/FusionPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace accel {

/// Names that tell what kernels do: their most telling operations, the sizes of
/// a product (rows x columns x summed), and a number.
/// Borrows: the module.
class KernelNames {
public:
  explicit KernelNames(mlir::ModuleOp module) : module(module) {}

  /// A name that no symbol of the module has.
  std::string next(const FusionGroup &group);

private:
  mlir::ModuleOp module;
  llvm::StringMap<unsigned> numbers; ///< the next one of each description
};

} // namespace accel

#endif
