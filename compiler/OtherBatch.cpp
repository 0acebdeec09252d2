// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import, and a look at the loss.
#include "compiler/OtherBatch.h"

#include "compiler/Pipeline.h"
#include "passes/Differentiate/Objective.h"

using namespace mlir;

namespace accel {

/// What there is to say about the model is said once, of the other one.
static LogicalResult importQuietly(ModuleOp module,
                                   const CompilerOptions &options) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  return runPhase(module, Phase::Import, options);
}

void recordOtherBatch(ModuleOp module, ModuleOp other,
                      const CompilerOptions &options) {
  if (options.differentiate.lossWeight == "samples") {
    return; // the loss is not taken apart
  }
  int64_t batch = other->getAttrOfType<IntegerAttr>("accel.batch").getInt();
  if (failed(importQuietly(other, options))) {
    emitRemark(module.getLoc())
        << "the model does not import with another batch, of " << batch
        << " samples, which would tell what its loss counts or mixes";
    return;
  }
  auto forward = other.lookupSymbol<func::FuncOp>("forward");
  if (std::optional<OtherBatch> loss =
          observeLoss(forward, options.differentiate.objective, batch)) {
    module->setAttr(kOtherBatch, toAttribute(*loss, module.getContext()));
  }
}

} // namespace accel
