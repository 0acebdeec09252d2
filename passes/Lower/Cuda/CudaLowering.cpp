// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the phase Lower for GPUs.
#include "passes/Lower/Cuda/CudaLowering.h"

#include "passes/Lower/Cuda/Cubin.h"
#include "passes/Lower/Cuda/Passes.h"
#include "passes/Lower/Cuda/PtxCode.h"
#include "passes/Lower/Passes.h"
#include "passes/Target/TargetNames.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace accel;

void CudaLowering::addPasses(OpPassManager &manager,
                             const LowerOptions &options) const {
  manager.addPass(createLowerWarpKernelsPass({options.variant}));
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createDistributeRowsPass({options.lanes}));
  // As for CPUs: before the expansions, and behind them.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createExpandMathPass());
  functions.addPass(createCSEPass());
}

void CudaLowering::prepareTranslation(MLIRContext &context) const {
  preparePtx(context);
}

FailureOr<CodeImage> CudaLowering::compile(ModuleOp code,
                                           const CodeVariant &variant,
                                           const CodeTools &tools) const {
  FailureOr<CodeImage> ptx = compilePtx(code, variant);
  return failed(ptx) || tools.keepsPtx || !isCubin(variant.name)
             ? ptx
             : assemblePtx(code, *ptx, variant, tools);
}
