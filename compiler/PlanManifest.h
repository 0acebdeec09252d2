// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the manifest and the instruction records of a plan from a lowered
// module, a part of the manifest at a time.
#ifndef ACCEL_COMPILER_PLANMANIFEST_H
#define ACCEL_COMPILER_PLANMANIFEST_H

#include "compiler/PlanFunctions.h"
#include "compiler/PlanWriter.h"

namespace accel {

/// Collects everything that has an index in the manifest. Functions are added
/// one after the other; then `finish`. Borrows: the export template of the
/// model.
class PlanManifest {
public:
  PlanManifest(mlir::ModuleOp module, const LoweredCode &code,
               const onnx::ImportedModel &model,
               const PlanWriterOptions &options);
  PlanManifest(const PlanManifest &) = delete;
  PlanManifest &operator=(const PlanManifest &) = delete;

  /// Says where the weights of key `key` lie; before functions that load them
  /// are added.
  void setWeightSource(llvm::StringRef key, const WeightSource &source) {
    instructions.setWeightSource(key, source);
  }

  /// Adds a function and returns its instruction records. `section` is their
  /// section's index. Fails after an error.
  mlir::FailureOr<std::string> addFunction(mlir::func::FuncOp function,
                                           uint32_t section) {
    return functions.add(function, section);
  }

  /// Bytes of all constant buffers so far, to become the section `section`;
  /// fixes their ranges.
  std::string takeConstants(uint32_t section) {
    return buffers.takeConstants(section);
  }

  /// The manifest, complete but for the container's part.
  planpb::Manifest finish();

  planpb::Manifest &get() { return manifest; }

private:
  void addFeatures();

  mlir::ModuleOp module;
  const onnx::ExportTemplate &exported;
  planpb::Manifest manifest; ///< what follows adds to it
  plan::StreamList streams;
  PlanKernels kernels;
  PlanSignature signature;
  PlanBuffers buffers;
  PlanCollectives collectives;
  PlanInstructions instructions;
  PlanFunctions functions;
};

} // namespace accel

#endif
