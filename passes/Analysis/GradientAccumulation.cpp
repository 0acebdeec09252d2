// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the state that tells the first microbatch, and kernels by attribute.
#include "passes/Analysis/GradientAccumulation.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"

using namespace mlir;
using namespace accel;

bool accel::isAccumulatingFlag(Value buffer) {
  return plan::getBufferRange(buffer).buffer.getSymbol() == kAccumulatingState;
}

func::FuncOp accel::findAddingKernel(ModuleOp module, RankedTensorType type) {
  auto signature = FunctionType::get(
      module.getContext(), {type, getFlagType(module.getContext())}, {type});
  // A copy that always adds lacks the state.
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (kernel->hasAttr(kAddsReducedAttr) &&
        kernel.getFunctionType() == signature) {
      return kernel;
    }
  }
  return {};
}
