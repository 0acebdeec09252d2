// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds what ranks exchange in a step.
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/StateExchange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTCOLLECTIVESPASS
#include "passes/Partition/Passes.h.inc"

namespace {

class CollectiveInserter {
public:
  CollectiveInserter(ModuleOp module, func::FuncOp step, RepeatOp loop)
      : module(module), step(step), loop(loop), builder(loop) {}

  void insert() {
    Block &body = loop.getBody().front();
    builder.setInsertionPointToStart(&body);
    create<dist::AllGatherOp>(StateExchange::GatherInLoop,
                              dist::getShardAxes());
    builder.setInsertionPointToEnd(&body);
    create<dist::ReduceScatterOp>(StateExchange::ScatterInLoop,
                                  dist::getShardAxes());
    builder.setInsertionPointAfter(loop);
    create<dist::AllReduceOp>(StateExchange::ReduceBehindLoop,
                              dist::getDataAxes());
    create<dist::ReduceScatterOp>(StateExchange::ScatterBehindLoop,
                                  dist::getShardAxes());
    for (WriteOp write : llvm::to_vector(step.getOps<WriteOp>())) {
      auto state = module.lookupSymbol<StateOp>(write.getSymbol());
      if (state && getExchange(state) == StateExchange::ReduceBehindWrite) {
        builder.setInsertionPointAfter(write);
        createOf<dist::AllReduceOp>({write.getSymbolAttr()},
                                    dist::getDataAxes());
      }
    }
    builder.setInsertionPoint(step.getBody().front().getTerminator());
    create<dist::AllGatherOp>(StateExchange::GatherBehindUpdate,
                              dist::getShardAxes());
  }

private:
  /// One operation for all states that are exchanged in this way, if there are
  /// any.
  template <typename OpTy>
  void create(StateExchange exchange, ArrayRef<StringLiteral> axes) {
    // Sums of losses and targets first: what follows waits for them.
    SmallVector<Attribute> accumulators, slots;
    for (StateOp state : module.getOps<StateOp>()) {
      if (getExchange(state) == exchange) {
        (state.getKind() == "accumulator" ? accumulators : slots)
            .push_back(FlatSymbolRefAttr::get(state.getSymNameAttr()));
      }
    }
    llvm::append_range(accumulators, slots);
    if (!accumulators.empty()) {
      createOf<OpTy>(accumulators, axes);
    }
  }

  template <typename OpTy>
  void createOf(ArrayRef<Attribute> symbols, ArrayRef<StringLiteral> axes) {
    SmallVector<StringRef> names(axes.begin(), axes.end());
    OpTy::create(builder, loop.getLoc(), builder.getArrayAttr(symbols),
                 builder.getStrArrayAttr(names));
  }

  ModuleOp module;
  func::FuncOp step;
  RepeatOp loop;
  OpBuilder builder;
};

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
    CollectiveInserter(module, step, *loops.begin()).insert();
  }
};

} // namespace
} // namespace accel
