// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beginning and the end of a plan's file.
#include "compiler/PlanOutput.h"

#include "compiler/PlanBuffers.h"
#include "compiler/Summary.h"
#include "compiler/ThreadStart.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel {

PlanWriterOptions makeWriterOptions(const CompilerOptions &options) {
  PlanWriterOptions writer;
  writer.modelFile = options.model == onnx::standardInput
                         ? "model.onnx"
                         : llvm::sys::path::filename(options.model).str();
  writer.options = options.written;
  return writer;
}

LogicalResult PlanOutput::begin(ModuleOp module) {
  MLIRContext &context = *module.getContext();
  FailureOr<std::unique_ptr<PlanFile>> begun =
      PlanFile::begin(context, vfs, options.output, model.weights,
                      {options.hasExternalWeights ? WeightStorage::External
                                                  : WeightStorage::Plan,
                       getStrictestAlignment(module)},
                      /*onThread=*/context.isMultithreadingEnabled() &&
                          countStartableThreads(1) == 1);
  if (failed(begun)) {
    return failure();
  }
  file = std::move(*begun);
  return success();
}

LogicalResult PlanOutput::finish(ModuleOp module, const LoweredCode &code) {
  LogicalResult written =
      writePlan(module, code, model, makeWriterOptions(options), *file);
  bytes = file->getSize();
  weights = describeExternalFiles(file->getExternalFiles());
  file.reset();
  return written;
}

} // namespace accel
