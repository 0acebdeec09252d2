// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Differentiate as one pipeline.
#include "passes/Differentiate/DifferentiatePipeline.h"

#include "passes/Differentiate/Passes.h"
#include "passes/Import/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace accel;

void accel::buildDifferentiatePipeline(mlir::OpPassManager &manager,
                                       const DifferentiateOptions &options) {
  FreezeParametersPassOptions freeze;
  freeze.rules.append(options.trainingRules.begin(),
                      options.trainingRules.end());
  manager.addPass(createFreezeParametersPass(std::move(freeze)));
  // Ranges come from how the forward program reads its inputs, before gradients
  // read them too.
  manager.addPass(createAnnotateInputRangesPass());
  manager.addPass(createPlaceDropoutPass());
  manager.addPass(
      createAttachObjectivePass({options.objective, options.lossWeight}));
  if (options.predictsSparsely) {
    manager.addPass(createSparsePredictionPass());
  }
  manager.addPass(createWeighBatchNormPass({options.synchronizesBatchNorm}));
  manager.addPass(createDifferentiateModulePass({options.lossScale}));
  manager.addPass(createExpandBatchNormPass());
  // Transposes pass a batch norm only as primitives, and gradients have those
  // of their own.
  manager.addPass(createSinkTransposesPass());
  // Gradients of what a model casts are sums in the type that it casts to.
  manager.addPass(createExpandElementTypesPass());
  // Gradient rules know their own operation only: views cancel out, and
  // constants repeat, at their borders.
  manager.addPass(createCleanGraphPass());
  manager.addPass(createVerifyDifferentiatePass());
}

void accel::buildUndifferentiatedPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createAnnotateInputRangesPass());
}

namespace {

struct DifferentiatePipelineOptions
    : public mlir::PassPipelineOptions<DifferentiatePipelineOptions> {
  Option<std::string> objective{
      *this, "objective",
      llvm::cl::desc("auto, causal-lm, classification, mse, or output:NAME"),
      llvm::cl::init("auto")};
  Option<std::string> lossWeight{
      *this, "loss-weight",
      llvm::cl::desc("what a loss of the model's own is a mean over: targets, "
                     "or samples"),
      llvm::cl::init("targets")};
  ListOption<std::string> rules{
      *this, "rules",
      llvm::cl::desc("which parameters train: train=REGEX or freeze=REGEX, the "
                     "last one that matches a name decides")};
  Option<bool> sparsePrediction{
      *this, "sparse-prediction",
      llvm::cl::desc("logits are computed for rows with a label only"),
      llvm::cl::init(false)};
  Option<bool> synchronizesBatchNorm{
      *this, "synchronized-batch-norm",
      llvm::cl::desc("batch norms take the statistics of all ranks' "
                     "microbatches together"),
      llvm::cl::init(false)};
};

} // namespace

void accel::registerDifferentiatePipeline() {
  mlir::PassPipelineRegistration<DifferentiatePipelineOptions>(
      "accel-differentiate", "phase Differentiate",
      [](mlir::OpPassManager &manager,
         const DifferentiatePipelineOptions &flags) {
        buildDifferentiatePipeline(manager,
                                   {flags.objective,
                                    flags.lossWeight,
                                    {flags.rules.begin(), flags.rules.end()},
                                    /*lossScale=*/{},
                                    flags.sparsePrediction,
                                    flags.synchronizesBatchNorm});
      });
}
