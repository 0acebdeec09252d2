// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Import as one pipeline.
#include "passes/Import/ImportPipeline.h"

#include "passes/Import/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace accel;

static void addAdapters(mlir::OpPassManager &manager,
                        const AdapterOptions &adapters) {
  AddAdaptersPassOptions options;
  options.rank = adapters.rank;
  options.alpha = adapters.alpha;
  options.dropout = adapters.dropout;
  options.targets = adapters.targets;
  options.modules.append(adapters.modules.begin(), adapters.modules.end());
  manager.addPass(createAddAdaptersPass(std::move(options)));
}

void accel::buildImportPipeline(mlir::OpPassManager &manager,
                                const ImportOptions &options) {
  // Sites are told apart before common subexpressions are merged: two dropouts
  // of one value are not one.
  manager.addPass(createNumberDropoutSitesPass({options.dropout}));
  manager.addPass(createFoldEmptyTensorsPass({options.infers}));
  manager.addPass(createFoldConstantsPass({options.maxConstantElements}));
  // The recognitions see one form of every view.
  manager.addPass(createCleanGraphPass());
  manager.addPass(createSinkTransposesPass());
  manager.addPass(createRecogniseLayerNormPass());
  manager.addPass(createRecogniseGeluPass());
  manager.addPass(createRecogniseAttentionPass());
  if (!options.infers) {
    manager.addPass(createRecogniseBinaryCrossEntropyPass());
    manager.addPass(createExpandStacksPass());
  }
  manager.addPass(createRecogniseGroupedProductsPass());
  manager.addPass(createCleanGraphPass());
  // Recognition leaves transposes between attention and the repeated heads.
  manager.addPass(createGroupKeyHeadsPass());
  // Attention brought new sites.
  manager.addPass(createNumberDropoutSitesPass({options.dropout}));
  // Adapters have dropout of their own, which no option of the model's changes.
  if (options.adapters.isOn()) {
    addAdapters(manager, options.adapters);
  }
  manager.addPass(createExpandElementTypesPass({!options.infers}));
  if (options.infers) {
    manager.addPass(createCleanGraphPass());
  }
  manager.addPass(createVerifyImportPass());
}

namespace {

struct ImportPipelineOptions
    : public mlir::PassPipelineOptions<ImportPipelineOptions> {
  Option<std::string> dropout{*this, "dropout",
                              llvm::cl::desc("model, off, or a probability"),
                              llvm::cl::init("model")};
};

} // namespace

void accel::registerImportPipeline() {
  mlir::PassPipelineRegistration<ImportPipelineOptions>(
      "accel-import", "phase Import",
      [](mlir::OpPassManager &manager, const ImportPipelineOptions &flags) {
        ImportOptions options;
        options.dropout = flags.dropout;
        buildImportPipeline(manager, options);
      });
}
