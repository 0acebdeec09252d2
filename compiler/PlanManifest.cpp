// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the module goes into which message is known to the parts; here is the
// order.
#include "compiler/PlanManifest.h"

#include "compiler/PlanFacts.h"
#include "compiler/PlanMemory.h"
#include "compiler/PlanMesh.h"
#include "compiler/PlanParameters.h"
#include "compiler/PlanState.h"
#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"
#include "runtime/plan/schema/features.h"

using namespace mlir;
using namespace accel;

PlanManifest::PlanManifest(ModuleOp module, const LoweredCode &code,
                           const onnx::ImportedModel &model,
                           const PlanWriterOptions &options)
    : module(module), exported(model.exportTemplate), streams(module),
      kernels(module, code, manifest), signature(module, manifest),
      buffers(module, manifest), collectives(module),
      instructions(streams, buffers, kernels, signature, collectives, manifest),
      functions(instructions, buffers.getAlignment(), manifest) {
  addOrigin(options, model.notes, manifest);
  addModel(module, manifest);
  addTraining(module, manifest);
  addDropoutSites(module, manifest);
  manifest.set_on_nonfinite(module->hasAttr(kSkipsNonFiniteAttr)
                                ? planpb::NONFINITE_SKIP
                                : planpb::NONFINITE_HALT);
  addMesh(module, manifest);
  addStreams(streams, manifest);
}

planpb::Manifest PlanManifest::finish() {
  PlanState state(module, buffers, manifest);
  state.addBuckets();
  addParameters(module, exported, manifest);
  addAdapters(module, manifest);
  state.addScalars();
  state.addTensors();
  addPersistentUses(manifest);
  addArenas(buffers.getAlignment(), manifest);
  addGatheredUses(module, manifest);
  addPeak(module, manifest);
  addFeatures();
  return std::move(manifest);
}

/// Whether a library computes more of a product than its sums.
static bool hasEpilogue(const planpb::Kernel &kernel) {
  return llvm::any_of(kernel.entries(), [](const planpb::KernelEntry &entry) {
    const planpb::Product &product = entry.call().product();
    return product.has_bias() ||
           product.activation() != planpb::Product::ACTIVATION_NONE;
  });
}

void PlanManifest::addFeatures() {
  if (!manifest.outputs().empty()) {
    manifest.add_required_features(std::string(runtime::kFeatureInference));
  }
  if (!manifest.external_files().empty()) {
    manifest.add_required_features(std::string(runtime::kFeatureExternalFiles));
  }
  if (instructions.hasThreadPrivate()) {
    manifest.add_required_features(std::string(runtime::kFeatureThreadPrivate));
  }
  if (instructions.hasParts()) {
    manifest.add_required_features(std::string(runtime::kFeatureShardedAccess));
  }
  if (llvm::any_of(manifest.kernels(), [](const planpb::Kernel &kernel) {
        return kernel.flushes_subnormals();
      })) {
    manifest.add_required_features(
        std::string(runtime::kFeatureFlushedSubnormals));
  }
  if (manifest.has_adapters()) {
    manifest.add_required_features(std::string(runtime::kFeatureAdapters));
  }
  auto hasRanges = [](const auto &input) { return input.ranges_size() > 0; };
  if (llvm::any_of(manifest.signature(), hasRanges) ||
      llvm::any_of(manifest.inputs(), hasRanges)) {
    manifest.add_required_features(std::string(runtime::kFeatureColumnRanges));
  }
  if (llvm::any_of(manifest.kernels(), hasEpilogue)) {
    manifest.add_required_features(std::string(runtime::kFeatureEpilogues));
  }
}
