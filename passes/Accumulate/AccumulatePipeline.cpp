// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Accumulate as one pipeline.
#include "passes/Accumulate/AccumulatePipeline.h"

#include "passes/Accumulate/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace accel;

void accel::buildAccumulatePipeline(mlir::OpPassManager &manager,
                                    const AccumulateOptions &options) {
  InsertUpdatePassOptions update;
  update.optimizer = options.optimizer;
  update.schedule = options.schedule;
  update.lr = options.lr;
  update.minLr = options.minLr;
  update.beta1 = options.beta1;
  update.beta2 = options.beta2;
  update.eps = options.eps;
  update.weightDecay = options.weightDecay;
  update.momentum = options.momentum;
  update.clipNorm = options.clipNorm;
  update.warmupSteps = options.warmupSteps;
  update.decaySteps = options.decaySteps;
  update.scheduleSteps = options.scheduleSteps;
  manager.addPass(createInsertMicrobatchLoopPass());
  manager.addPass(createInsertUpdatePass(update));
  // Last: it writes the states that the others declare.
  manager.addPass(createInsertInitPass());
  manager.addPass(createVerifyAccumulatePass());
}

namespace {

struct AccumulatePipelineOptions
    : public mlir::PassPipelineOptions<AccumulatePipelineOptions> {
  Option<std::string> optimizer{*this, "optimizer",
                                llvm::cl::desc("adamw or sgd"),
                                llvm::cl::init("adamw")};
  Option<std::string> schedule{
      *this, "schedule", llvm::cl::desc("constant, linear, cosine or wsd"),
      llvm::cl::init("constant")};
  Option<double> clipNorm{*this, "clip-norm",
                          llvm::cl::desc("0 for no clipping"),
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
        buildAccumulatePipeline(manager, options);
      });
}
