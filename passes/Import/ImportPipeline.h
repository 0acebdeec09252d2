// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Import as one pipeline.
#ifndef ACCEL_PASSES_IMPORT_IMPORTPIPELINE_H
#define ACCEL_PASSES_IMPORT_IMPORTPIPELINE_H

#include "passes/Import/AdapterOptions.h"

#include <cstdint>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct ImportOptions {
  /// `model`, `off`, or a probability for every site.
  std::string dropout = "model";
  /// Largest tensor that is evaluated at compile time, in elements.
  int64_t maxConstantElements = int64_t(1) << 26;
  bool infers = false; ///< the program answers, and does not train
  AdapterOptions adapters = {};
};

/// From the module of a frontend to recognised, static IR.
void buildImportPipeline(mlir::OpPassManager &manager,
                         const ImportOptions &options);

/// Registers the pipeline as `accel-import`.
void registerImportPipeline();

} // namespace accel

#endif
