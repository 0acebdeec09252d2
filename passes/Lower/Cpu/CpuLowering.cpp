// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the phase Lower for CPUs.
#include "passes/Lower/Cpu/CpuLowering.h"

#include "passes/Lower/Cpu/Codegen.h"
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace accel;

void CpuLowering::addPasses(OpPassManager &manager,
                            const LowerOptions &options) const {
  manager.addPass(createLowerKernelsPass({options.variant}));
  manager.addPass(createVerifyLowerPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createVectorizeRowsPass({options.lanes}));
  // Before the expansions, which should not be made twice for equal operands;
  // and behind, for what they have in common.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createExpandMathPass());
  functions.addPass(createCSEPass());
}

void CpuLowering::prepareTranslation(MLIRContext &context) const {
  accel::prepareTranslation(context);
}

FailureOr<CodeImage> CpuLowering::compile(ModuleOp code,
                                          const CodeVariant &variant,
                                          const CodeTools &) const {
  return compileKernels(code, variant);
}
