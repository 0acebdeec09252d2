// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What microbatches read of parameters in 8 bits: masters times a scale,
// rounded.
#ifndef ACCEL_PASSES_SHARD_FP8WEIGHTS_H
#define ACCEL_PASSES_SHARD_FP8WEIGHTS_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// The numbers of a master, of which a rank has its own, behind the point where
/// weights are rounded; null if the function leaves them as they are.
using FindMaster = llvm::function_ref<mlir::Value(StateOp master)>;

/// Builds the largest magnitude of each parameter that is read in 8 bits, over
/// all ranks; then the scales; then the compute slots. Does nothing if there is
/// no such parameter.
void buildFp8Weights(ArithmeticBuilder &b, mlir::ModuleOp module,
                     FindMaster findMaster);

/// Declares the state through which ranks find those magnitudes, in front of
/// `before`, if parameters of `module` are read in 8 bits.
void declareFp8Amax(mlir::ModuleOp module, mlir::Operation *before);

} // namespace accel

#endif
