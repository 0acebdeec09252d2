// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import, and a look at the loss.
#include "compiler/OtherBatches.h"

#include "compiler/Pipeline.h"
#include "passes/Differentiate/Objective.h"

using namespace mlir;

namespace accel {

/// What there is to say about the model is said once, with its own batch.
static LogicalResult importQuietly(ModuleOp module,
                                   const CompilerOptions &options) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  return runPhase(module, Phase::Import, options);
}

void recordOtherBatches(ModuleOp module, ArrayRef<OwningOpRef<ModuleOp>> others,
                        const CompilerOptions &options) {
  std::optional<unsigned> output =
      findLoss(module.lookupSymbol<func::FuncOp>("forward"),
               options.differentiate.objective);
  if (!output || options.differentiate.lossWeight == "samples") {
    return; // no loss is taken apart
  }
  std::vector<OtherBatch> losses;
  for (const OwningOpRef<ModuleOp> &each : others) {
    ModuleOp other = *each;
    int64_t batch = other->getAttrOfType<IntegerAttr>("accel.batch").getInt();
    if (failed(importQuietly(other, options))) {
      emitRemark(module.getLoc())
          << "the model does not import with another batch, of " << batch
          << " samples, which would tell what its loss counts or mixes";
      return;
    }
    auto forward = other.lookupSymbol<func::FuncOp>("forward");
    losses.push_back(observeLoss(forward, *output, batch));
  }
  writeOtherBatches(module, losses);
}

} // namespace accel
