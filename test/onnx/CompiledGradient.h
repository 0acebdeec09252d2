// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradients of a case as compiled code computes them.
#ifndef ACCEL_TEST_ONNX_COMPILEDGRADIENT_H
#define ACCEL_TEST_ONNX_COMPILEDGRADIENT_H

#include "dialects/Accel/Interpreter/HostTensor.h"
#include "runtime/device/device.h"
#include "runtime/io/vfs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace accel::test {

class CompiledGradient {
public:
  /// `folder` is for files of its own.
  explicit CompiledGradient(const std::string &folder);

  /// What `gradient` gives for `values`: it becomes the program of a plan, goes
  /// through all phases behind differentiation, and is run by the runtime.
  /// Where a phase fails the error has been emitted on the context.
  llvm::Expected<std::vector<std::vector<double>>>
  run(mlir::func::FuncOp gradient, mlir::ArrayRef<HostTensor> values);

private:
  mlir::LogicalResult compile(mlir::func::FuncOp gradient);

  std::string plan;
  std::unique_ptr<runtime::Vfs> vfs;
  std::unique_ptr<runtime::Device> device;
};

} // namespace accel::test

#endif
