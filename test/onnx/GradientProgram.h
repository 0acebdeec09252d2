// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of a case with its gradients beside it: what differences, the
// interpreter and compiled code are compared on.
#ifndef ACCEL_TEST_ONNX_GRADIENTPROGRAM_H
#define ACCEL_TEST_ONNX_GRADIENTPROGRAM_H

#include "dialects/Accel/Interpreter/HostTensor.h"
#include "test/onnx/Case.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace accel::test {

/// `forward` takes the inputs that are not bound, then the weights that
/// training would change, and gives the outputs. 16-bit floats are f32 in it,
/// as a difference of rounded numbers says nothing of a slope.
struct GradientProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp forward;
  mlir::SmallVector<HostTensor> arguments; ///< of the case's first data set
  mlir::SmallVector<size_t> wrt;           ///< which arguments are floats
  mlir::SmallVector<size_t> outputs;       ///< which results are floats

  /// Adds the function `gradient`: it takes the arguments and the gradients of
  /// `outputs` and gives those of `wrt`. Fails after an error if something on
  /// the way has no gradient.
  mlir::FailureOr<mlir::func::FuncOp> differentiate();
};

/// Fails after an error of the importer.
mlir::FailureOr<GradientProgram>
makeGradientProgram(const Case &subject, const std::vector<std::string> &bound,
                    mlir::MLIRContext &context);

} // namespace accel::test

#endif
