// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products as calls of cuBLASLt.
#ifndef ACCEL_PASSES_TARGET_CUDA_PRODUCTCALL_H
#define ACCEL_PASSES_TARGET_CUDA_PRODUCTCALL_H

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// The call for a kernel whose domain is a product; null after an error on the
/// kernel, which computes something else, or of operands that do not lie in one
/// piece. `mayUseTf32`: of f32 its operands are rounded to TF32.
plan::LibraryCallAttr getProductCall(mlir::func::FuncOp kernel,
                                     bool mayUseTf32);

} // namespace accel

#endif
