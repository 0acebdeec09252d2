// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Precision as one pipeline.
#include "passes/Precision/PrecisionPipeline.h"

#include "passes/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace accel;

void accel::buildPrecisionPipeline(mlir::OpPassManager &manager,
                                   const PrecisionOptions &options,
                                   const std::string &target) {
  InsertPrecisionCastsPassOptions casts;
  casts.precision = options.precision;
  casts.residual = options.residual;
  casts.fp8 = options.fp8.recipe;
  casts.fp8Format = options.fp8.format;
  casts.fp8Amax = options.fp8.amax;
  casts.fp8History = options.fp8.history;
  casts.fp8Margin = options.fp8.margin;
  casts.targetName = target;
  casts.rules.assign(options.rules.begin(), options.rules.end());
  manager.addPass(createInsertPrecisionCastsPass(casts));
  manager.addPass(createVerifyPrecisionPass());
}

namespace {

struct PrecisionPipelineOptions
    : public mlir::PassPipelineOptions<PrecisionPipelineOptions> {
  Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("f32, bf16 or f16: the type of products' operands"),
      llvm::cl::init("f32")};
  Option<std::string> residual{
      *this, "residual",
      llvm::cl::desc("f32: sums of two activations stay f32")};
  Option<std::string> fp8{
      *this, "fp8",
      llvm::cl::desc("the recipe by which products read floats of 8 bits")};
  Option<std::string> fp8Format{*this, "fp8-format",
                                llvm::cl::desc("hybrid or e4m3")};
  ListOption<std::string> rules{
      *this, "rules",
      llvm::cl::desc("which sites are low: exclude=REGEX or include=REGEX")};
};

} // namespace

void accel::registerPrecisionPipeline() {
  mlir::PassPipelineRegistration<PrecisionPipelineOptions>(
      "accel-precision", "phase Precision",
      [](mlir::OpPassManager &manager, const PrecisionPipelineOptions &flags) {
        buildPrecisionPipeline(manager,
                               {flags.precision,
                                flags.residual,
                                {flags.fp8, flags.fp8Format},
                                {flags.rules.begin(), flags.rules.end()}},
                               "cpu");
      });
}
