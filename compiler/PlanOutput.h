// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan that a compilation writes.
#ifndef ACCEL_COMPILER_PLANOUTPUT_H
#define ACCEL_COMPILER_PLANOUTPUT_H

#include "compiler/Options.h"
#include "compiler/PlanWriter.h"

namespace accel {

/// What a plan records of the options.
PlanWriterOptions makeWriterOptions(const CompilerOptions &options);

/// The file from the weights on, which are written while code is generated, to
/// the manifest. Errors are emitted on the module's context. Borrows: the
/// options, the vfs and the model.
class PlanOutput {
public:
  PlanOutput(const CompilerOptions &options, runtime::Vfs &vfs,
             const onnx::ImportedModel &model)
      : options(options), vfs(vfs), model(model) {}

  mlir::LogicalResult begin(mlir::ModuleOp module);
  /// Writes the rest and makes the file visible. Requires: it has begun.
  mlir::LogicalResult finish(mlir::ModuleOp module, const LoweredCode &code);

  // Of the finished file.
  uint64_t getBytes() const { return bytes; }
  /// Which weights it refers to, for people; empty if none.
  llvm::StringRef getReferredWeights() const { return weights; }

private:
  const CompilerOptions &options;
  runtime::Vfs &vfs;
  const onnx::ImportedModel &model;
  std::unique_ptr<PlanFile> file;
  uint64_t bytes = 0;
  std::string weights;
};

} // namespace accel

#endif
