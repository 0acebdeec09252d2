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
  casts.fp8 = options.fp8;
  casts.fp8Format = options.fp8Format;
  casts.fp8Amax = options.fp8Amax;
  casts.fp8History = options.fp8History;
  casts.fp8Margin = options.fp8Margin;
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
                                llvm::cl::desc("hybrid or e4m3"),
                                llvm::cl::init("hybrid")};
  Option<std::string> fp8Amax{*this, "fp8-amax",
                              llvm::cl::desc("max or most_recent"),
                              llvm::cl::init("max")};
  Option<int64_t> fp8History{*this, "fp8-history",
                             llvm::cl::desc("steps of the history"),
                             llvm::cl::init(1024)};
  Option<int64_t> fp8Margin{*this, "fp8-margin",
                            llvm::cl::desc("scales are smaller by a power of "
                                           "two"),
                            llvm::cl::init(0)};
  ListOption<std::string> rules{
      *this, "rules",
      llvm::cl::desc("which sites are low: exclude=REGEX or include=REGEX")};
};

} // namespace

void accel::registerPrecisionPipeline() {
  mlir::PassPipelineRegistration<PrecisionPipelineOptions>(
      "accel-precision", "phase Precision",
      [](mlir::OpPassManager &manager, const PrecisionPipelineOptions &flags) {
        PrecisionOptions options;
        options.precision = flags.precision;
        options.residual = flags.residual;
        options.fp8 = flags.fp8;
        options.fp8Format = flags.fp8Format;
        options.fp8Amax = flags.fp8Amax;
        options.fp8History = flags.fp8History;
        options.fp8Margin = flags.fp8Margin;
        options.rules.assign(flags.rules.begin(), flags.rules.end());
        buildPrecisionPipeline(manager, options, "cpu");
      });
}
