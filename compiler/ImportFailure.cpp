// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer's own steps, in its order, until one fails.
#include "compiler/ImportFailure.h"

#include "frontends/onnx/FunctionExpansion.h"
#include "frontends/onnx/ModelFile.h"
#include "frontends/onnx/ModelWeights.h"
#include "frontends/onnx/SupportCheck.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace accel {

ExitCode classifyImportFailure(const CompilerOptions &options) {
  MLIRContext context;
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  StringRef path = options.model;
  auto model = onnx::readModelFile(path, context);
  if (failed(model)) {
    return ExitCode::InputOutput;
  }
  onnx::ImportNotes notes;
  auto recovery =
      onnx::recoverParameters(*(*model)->mutable_graph(), path, context, notes);
  if (failed(recovery)) {
    return ExitCode::CompileError;
  }
  auto weights = onnx::collectWeights(*(*model)->mutable_graph(), *recovery,
                                      path, context);
  if (failed(weights) || (!weights->absent.empty() && !options.frontend.init)) {
    return ExitCode::InputOutput;
  }
  bool isUnsupported =
      succeeded(onnx::expandFunctions(**model, path, context)) &&
      failed(onnx::checkSupported(**model, path, context));
  return isUnsupported ? ExitCode::Unsupported : ExitCode::CompileError;
}

} // namespace accel
