// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds what ranks exchange in each function that runs over microbatches.
#include "dialects/Accel/IR/FunctionRoles.h"
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

/// Where initialization writes of a state what a rank owns, and ranks hold all
/// of it, it is gathered as behind an update.
void gatherInitialized(ModuleOp module, func::FuncOp initialize) {
  SmallVector<Attribute> written;
  for (WriteOp write : initialize.getOps<WriteOp>()) {
    auto state = module.lookupSymbol<StateOp>(write.getSymbol());
    if (state && getExchange(state) == StateExchange::GatherBehindUpdate) {
      written.push_back(write.getSymbolAttr());
    }
  }
  if (!written.empty()) {
    OpBuilder builder(initialize.getBody().front().getTerminator());
    ArrayRef<StringLiteral> axes = dist::getShardAxes();
    dist::AllGatherOp::create(
        builder, initialize.getLoc(), builder.getArrayAttr(written),
        builder.getStrArrayAttr(SmallVector<StringRef>(axes)));
  }
}

/// Of what each rank writes its share in `function`, outside of its loop, all
/// have the sum, or the maximum, behind the write.
void reduceShares(ModuleOp module, func::FuncOp function) {
  ArrayRef<StringLiteral> axes = dist::getDataAxes();
  for (WriteOp write : llvm::to_vector(function.getOps<WriteOp>())) {
    auto state = module.lookupSymbol<StateOp>(write.getSymbol());
    if (!state || getExchange(state) != StateExchange::ReduceBehindWrite) {
      continue;
    }
    OpBuilder builder(write->getContext());
    builder.setInsertionPointAfter(write);
    dist::AllReduceOp::create(
        builder, write.getLoc(), builder.getArrayAttr({write.getSymbolAttr()}),
        builder.getStrArrayAttr(SmallVector<StringRef>(axes)),
        state.getKind() == StateKind::PartialMax ? dist::Reduction::Max
                                                 : dist::Reduction::Sum);
  }
}

/// What the microbatches of an iteration have together is summed where it
/// stands.
void sumValues(func::FuncOp function) {
  ArrayRef<StringLiteral> axes = dist::getDataAxes();
  function.walk([&](SumOverRanksOp sum) {
    OpBuilder builder(sum);
    auto all = dist::AllReduceValueOp::create(
        builder, sum.getLoc(), sum.getType(), sum.getOperand(),
        builder.getStrArrayAttr(SmallVector<StringRef>(axes)));
    sum.replaceAllUsesWith(all.getResult());
    sum.erase();
  });
}

class CollectiveInserter {
public:
  CollectiveInserter(ModuleOp module, func::FuncOp function, RepeatOp loop)
      : module(module), function(function), loop(loop), builder(loop) {
    SymbolTable symbols(module);
    function.walk([&](Operation *op) {
      if (StateOp state = findTouchedState(symbols, op)) {
        touched.insert(state);
      }
    });
  }

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
    auto maxima = create<dist::AllReduceOp>(StateExchange::MaximumBehindLoop,
                                            dist::getDataAxes());
    if (maxima) {
      maxima.setReduction(dist::Reduction::Max);
    }
    create<dist::ReduceScatterOp>(StateExchange::ScatterBehindLoop,
                                  dist::getShardAxes());
    reduceShares(module, function);
    if (getRole(function) == FunctionRole::Step) {
      // The others update nothing: ranks have the whole from the last step.
      builder.setInsertionPoint(function.getBody().front().getTerminator());
      create<dist::AllGatherOp>(StateExchange::GatherBehindUpdate,
                                dist::getShardAxes());
    }
  }

private:
  /// One operation for all states of the function that are exchanged in this
  /// way; null if there are none.
  template <typename OpTy>
  OpTy create(StateExchange exchange, ArrayRef<StringLiteral> axes) {
    // Sums of losses and targets first: what follows waits for them.
    SmallVector<Attribute> accumulators, slots;
    for (StateOp state : module.getOps<StateOp>()) {
      if (touched.contains(state) && getExchange(state) == exchange) {
        (state.getKind() == StateKind::Accumulator ? accumulators : slots)
            .push_back(FlatSymbolRefAttr::get(state.getSymNameAttr()));
      }
    }
    llvm::append_range(accumulators, slots);
    if (accumulators.empty()) {
      return {};
    }
    return OpTy::create(builder, loop.getLoc(),
                        builder.getArrayAttr(accumulators),
                        builder.getStrArrayAttr(SmallVector<StringRef>(axes)));
  }

  ModuleOp module;
  func::FuncOp function;
  RepeatOp loop;
  OpBuilder builder;
  llvm::SmallPtrSet<Operation *, 16> touched; ///< states that it uses
};

class InsertCollectivesPass
    : public impl::InsertCollectivesPassBase<InsertCollectivesPass> {
public:
  using InsertCollectivesPassBase::InsertCollectivesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions = getRunning(module);
    if (functions.empty()) {
      module.emitError() << "expected a function of role step, got none";
      return signalPassFailure();
    }
    for (func::FuncOp function : functions) {
      if (getRole(function) == FunctionRole::Infer) {
        continue; // A rank alone answers.
      }
      auto loops = function.getOps<RepeatOp>();
      if (!llvm::hasSingleElement(loops)) {
        function.emitError() << "expected one loop over microbatches in @"
                             << function.getSymName() << ", got "
                             << std::distance(loops.begin(), loops.end());
        return signalPassFailure();
      }
      CollectiveInserter(module, function, *loops.begin()).insert();
      sumValues(function);
    }
    if (auto initialize = findFunction(module, FunctionRole::Initialize)) {
      reduceShares(module, initialize);
      gatherInitialized(module, initialize);
    }
  }
};

} // namespace
} // namespace accel
