// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import, and a look at the loss.
#include "compiler/OtherBatch.h"

#include "compiler/Pipeline.h"
#include "passes/Differentiate/Objective.h"

using namespace mlir;

namespace accel {

void recordOtherBatch(ModuleOp module, ModuleOp other,
                      const CompilerOptions &options) {
  // What there is to say about the model is said once, of `module`.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(runPhase(other, Phase::Import, options))) {
    return;
  }
  auto forward = other.lookupSymbol<func::FuncOp>("forward");
  int64_t batch = other->getAttrOfType<IntegerAttr>("accel.batch").getInt();
  if (std::optional<OtherBatch> loss =
          observeLoss(forward, options.differentiate.objective, batch)) {
    module->setAttr(kOtherBatch, toAttribute(*loss, module.getContext()));
  }
}

} // namespace accel
