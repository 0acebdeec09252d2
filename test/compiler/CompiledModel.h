// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model of test/e2e/models, compiled in this process as accelc does it: what
// its kernels mean, their machine code, and the instructions of its plan.
#ifndef ACCEL_TEST_COMPILER_COMPILEDMODEL_H
#define ACCEL_TEST_COMPILER_COMPILEDMODEL_H

#include "compiler/Options.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "frontends/onnx/ImportOnnx.h"
#include "passes/Lower/LowerPipeline.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace accel {
class PlanManifest;
} // namespace accel

namespace accel::test {

class CompiledModel {
public:
  /// Compiles `model` (`gpt2/model.onnx`) up to and including Memory, then its
  /// kernels. Null after a test failure.
  static std::unique_ptr<CompiledModel> compile(const std::string &model,
                                                CompilerOptions options);

  const planpb::Manifest &getManifest() const { return manifest; }
  /// In the variants that this machine can run, and those of GPUs; the manifest
  /// has the same.
  const LoweredCode &getCode() const { return code; }
  bool hasFunction(FunctionRole role) const {
    return instructions.count(role) != 0;
  }
  /// Requires: hasFunction(role).
  const std::vector<planpb::Instruction> &
  getInstructions(FunctionRole role) const {
    return instructions.at(role);
  }
  /// The definition of a kernel, in a module of kernels alone.
  mlir::func::FuncOp getKernel(const std::string &name) const;
  /// With what the program says of itself.
  mlir::ModuleOp getKernels() const { return *kernels; }
  /// The bytes that the constant buffers' `content` refers to.
  const std::string &getConstants() const { return constants; }
  /// The bytes that `load` instructions refer to.
  const std::string &getWeights() const { return weights; }

private:
  CompiledModel();
  bool importModel(const CompilerOptions &options);
  bool readWeights(PlanManifest &builder);
  bool buildPlan();

  mlir::MLIRContext context;
  std::string diagnostics;
  onnx::ImportedModel model;
  LoweredCode code;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  planpb::Manifest manifest;
  std::map<FunctionRole, std::vector<planpb::Instruction>> instructions;
  std::string constants, weights;
};

} // namespace accel::test

#endif
