// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial values by `--init`: what a parameter is, seen from its use, decides
// how it begins.
#ifndef ACCEL_FRONTENDS_ONNX_ANNOTATION_INITPOLICY_H
#define ACCEL_FRONTENDS_ONNX_ANNOTATION_INITPOLICY_H

#include "frontends/onnx/ImportOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace accel::onnx {

/// Sets `initial` of every parameter of `module` but `keptStatistics`, running
/// statistics that batch norms do not move, which go on from the file's:
/// - scales of norms (and vectors that multiply) 1, other vectors and scalars
/// 0;
/// - matrices and tables normal(0, deviation);
/// - by `gpt2`, projections into the residual stream - matrices whose product
/// is added to a computed value of its own
///   shape, with at most a bias, a dropout and reshapes between - normal(0,
///   deviation / sqrt(their number)): GPT-2 has 2 L of them, L being its
///   layers.
void applyInitPolicy(mlir::ModuleOp module, mlir::func::FuncOp forward,
                     const InitPolicy &policy,
                     const llvm::StringSet<> &keptStatistics);

} // namespace accel::onnx

#endif
