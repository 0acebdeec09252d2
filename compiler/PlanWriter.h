// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a lowered module as a plan file: the bridge between the compiler's IR
// and the runtime's schema.
#ifndef ACCEL_COMPILER_PLANWRITER_H
#define ACCEL_COMPILER_PLANWRITER_H

#include "compiler/PlanFile.h"
#include "frontends/onnx/ImportOnnx.h"
#include "passes/Lower/LowerPipeline.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <utility>
#include <vector>

namespace accel {

/// What a plan records besides the program.
struct PlanWriterOptions {
  std::string modelFile; ///< name without folder
  /// The options that shaped the plan, as written, for reports.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Writes `module` (after Memory) with its code, weights and export template to
/// `file`, whose weights are on their way. It appears complete or not at all,
/// and its bytes depend on nothing but the arguments. Errors are emitted on the
/// module's context.
mlir::LogicalResult writePlan(mlir::ModuleOp module, const LoweredCode &code,
                              const onnx::ImportedModel &model,
                              const PlanWriterOptions &options, PlanFile &file);

} // namespace accel

#endif
