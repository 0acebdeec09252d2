// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Accumulate as one pipeline.
#include "passes/Accumulate/AccumulatePipeline.h"

#include "passes/Accumulate/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/Format.h"

using namespace accel;

void accel::buildAccumulatePipeline(mlir::OpPassManager &manager,
                                    const AccumulateOptions &options) {
  InsertUpdatePassOptions update;
  update.optimizer = options.optimizer;
  for (const auto &[name, value] : options.numbers) {
    // Digits that say which double it is.
    std::string text = name + "=";
    llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
    update.numbers.push_back(text);
  }
  update.schedule = options.schedule;
  update.lr = options.lr;
  update.minLr = options.minLr;
  update.weightDecay = options.weightDecay;
  update.clipNorm = options.clipNorm;
  update.warmupSteps = options.warmupSteps;
  update.decaySteps = options.decaySteps;
  update.scheduleSteps = options.scheduleSteps;
  update.skipsNonFinite = options.skipsNonFinite;
  update.ema = options.ema;
  GroupParametersPassOptions groups;
  groups.rules.append(options.groups.begin(), options.groups.end());
  groups.lr = options.lr;
  groups.layerDecay = options.layerDecay;
  groups.decay = options.decay;
  manager.addPass(createInsertMicrobatchLoopPass({options.globalBatch}));
  manager.addPass(createInsertCountingPass());
  if (options.evaluates) {
    manager.addPass(createInsertEvaluationPass());
  }
  manager.addPass(createResolveTrainingPass());
  manager.addPass(createGroupParametersPass(groups));
  manager.addPass(createInsertUpdatePass(update));
  // Last: it writes the states that the others declare.
  manager.addPass(createInsertInitPass());
  manager.addPass(createVerifyAccumulatePass());
}

void accel::buildInferencePipeline(mlir::OpPassManager &manager) {
  manager.addPass(createInsertInferencePass());
  manager.addPass(createInsertInitPass());
  manager.addPass(createVerifyAccumulatePass());
}

namespace {

struct AccumulatePipelineOptions
    : public mlir::PassPipelineOptions<AccumulatePipelineOptions> {
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::desc("its name"),
                                llvm::cl::init(kDefaultOptimizer.str())};
  Option<std::string> schedule{
      *this, "schedule", llvm::cl::desc("constant, linear, cosine or wsd"),
      llvm::cl::init("constant")};
  Option<double> clipNorm{*this, "clip-norm",
                          llvm::cl::desc("0 for no clipping"),
                          llvm::cl::init(0.0)};
  Option<double> ema{*this, "ema", llvm::cl::desc("0 for no averages"),
                     llvm::cl::init(0.0)};
};

} // namespace

void accel::registerAccumulatePipeline() {
  mlir::PassPipelineRegistration<AccumulatePipelineOptions>(
      "accel-accumulate", "phase Accumulate",
      [](mlir::OpPassManager &manager, const AccumulatePipelineOptions &flags) {
        AccumulateOptions options;
        options.optimizer = flags.optimizer;
        options.schedule = flags.schedule;
        options.clipNorm = flags.clipNorm;
        options.ema = flags.ema;
        buildAccumulatePipeline(manager, options);
      });
}
