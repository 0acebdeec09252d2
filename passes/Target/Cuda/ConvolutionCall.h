// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as calls of cuDNN.
#ifndef ACCEL_PASSES_TARGET_CUDA_CONVOLUTIONCALL_H
#define ACCEL_PASSES_TARGET_CUDA_CONVOLUTIONCALL_H

#include "passes/Analysis/Convolution.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Whether the call for `convolution`, of `product`, reads its windows, as view
/// of `root`, where they lie. It stores what it computes in the type of what it
/// reads: f32, or floats of 16 bits, to which sums then are rounded.
bool readsWindowsInPlace(MatmulOp product, Convolution &convolution,
                         mlir::Value root);

/// Whether the call also computes `op`, which reads the sums of `product`: the
/// rounding to what the call reads.
bool isPartOfConvolution(MatmulOp product, mlir::Operation *op);

/// The call for a kernel that does nothing else; null after an error on the
/// kernel. `mayUseTf32`: of f32 its operands are rounded to TF32.
plan::LibraryCallAttr getConvolutionCall(mlir::func::FuncOp kernel,
                                         MatmulOp product,
                                         Convolution &convolution,
                                         bool mayUseTf32);

} // namespace accel

#endif
