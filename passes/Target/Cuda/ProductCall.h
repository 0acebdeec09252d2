// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products as calls of cuBLASLt.
#ifndef ACCEL_PASSES_TARGET_CUDA_PRODUCTCALL_H
#define ACCEL_PASSES_TARGET_CUDA_PRODUCTCALL_H

#include "dialects/Plan/IR/PlanOps.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// The vector that the call for `product` adds to all rows of it, as operand of
/// what adds it; null if there is none. It has the type that the call stores.
mlir::OpOperand *findBias(MatmulOp product);

/// Whether the call for `product` also computes `op`, which reads it: a scale
/// of floats of 8 bits, the bias and what widens it, or the one rounding of the
/// sums to 16 bits.
bool isPartOfCall(MatmulOp product, mlir::Operation *op);

/// The call for a kernel whose domain is a product; null after an error on the
/// kernel, which computes something else, or of operands that do not lie in one
/// piece. `mayUseTf32`: of f32 its operands are rounded to TF32.
plan::LibraryCallAttr getProductCall(mlir::func::FuncOp kernel,
                                     bool mayUseTf32);

} // namespace accel

#endif
