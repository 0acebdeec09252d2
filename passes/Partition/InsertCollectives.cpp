// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the sums over ranks behind the loop over microbatches.
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/SummedStates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTCOLLECTIVESPASS
#include "passes/Partition/Passes.h.inc"

namespace {

class InsertCollectivesPass
    : public impl::InsertCollectivesPassBase<InsertCollectivesPass> {
public:
  using InsertCollectivesPassBase::InsertCollectivesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    if (!step) {
      module.emitError() << "expected a function @step, got none";
      return signalPassFailure();
    }
    auto loops = step.getOps<RepeatOp>();
    if (!llvm::hasSingleElement(loops)) {
      step.emitError() << "expected one loop over microbatches in @step, got "
                       << std::distance(loops.begin(), loops.end());
      return signalPassFailure();
    }
    // Sums of losses and targets first: what follows waits for them.
    SmallVector<Attribute> accumulators, gradients;
    for (StateOp state : module.getOps<StateOp>()) {
      if (isSummedOverRanks(state)) {
        (state.getKind() == "accumulator" ? accumulators : gradients)
            .push_back(FlatSymbolRefAttr::get(state.getSymNameAttr()));
      }
    }
    llvm::append_range(accumulators, gradients);
    if (accumulators.empty()) {
      return;
    }
    RepeatOp loop = *loops.begin();
    OpBuilder builder(loop);
    builder.setInsertionPointAfter(loop);
    dist::AllReduceOp::create(
        builder, loop.getLoc(), builder.getArrayAttr(accumulators),
        builder.getStrArrayAttr(SmallVector<StringRef>(
            dist::getDataAxes().begin(), dist::getDataAxes().end())));
  }
};

} // namespace
} // namespace accel
