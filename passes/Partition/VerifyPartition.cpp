// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Partition: what ranks add up for themselves is summed
// over them before anybody reads it.
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/SummedStates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYPARTITIONPASS
#include "passes/Partition/Passes.h.inc"

namespace {

class PartitionVerifier {
public:
  PartitionVerifier(ModuleOp module, func::FuncOp step)
      : module(module), step(step), symbols(module) {}

  LogicalResult verify() {
    bool behindLoop = false;
    for (Operation &op : step.getBody().front()) {
      if (isa<RepeatOp>(op)) {
        verifyLoop(op);
        behindLoop = true;
      } else if (auto reduce = dyn_cast<dist::AllReduceOp>(op)) {
        verifyReduction(reduce, behindLoop);
      } else if (behindLoop) {
        verifyUse(op);
      }
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (isSummedOverRanks(state) && !reduced.contains(state.getSymName())) {
        fail(state) << "expected '" << state.getSymName()
                    << "' to be summed over the ranks, got no collective that "
                       "does";
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  /// The number of rounds is the same on all ranks, but one collective per
  /// microbatch is not what this mode is.
  void verifyLoop(Operation &loop) {
    loop.walk([&](dist::AllReduceOp op) {
      fail(op) << "expected collectives behind the loop, got one inside";
    });
  }

  void verifyReduction(dist::AllReduceOp op, bool behindLoop) {
    for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
      auto state = symbols.lookup<StateOp>(symbol.getValue());
      if (!state || !isSummedOverRanks(state)) {
        fail(op) << "expected an accumulator or the gradient of a segment, got "
                 << symbol;
      } else if (!behindLoop) {
        fail(op) << "expected " << symbol
                 << " to be summed behind the loop, got it in front";
      } else if (!reduced.insert({symbol.getValue(), op}).second) {
        fail(op) << "expected " << symbol << " to be summed once, got it twice";
      }
    }
  }

  /// `op` follows the loop.
  void verifyUse(Operation &op) {
    auto symbol = op.getAttrOfType<FlatSymbolRefAttr>("symbol");
    auto state =
        symbol ? symbols.lookup<StateOp>(symbol.getValue()) : StateOp();
    if (state && isSummedOverRanks(state) &&
        !reduced.contains(symbol.getValue())) {
      fail(&op) << "expected " << symbol
                << " to be summed over the ranks before it is used, got a use "
                   "in front of that";
    }
  }

  ModuleOp module;
  func::FuncOp step;
  SymbolTable symbols;
  llvm::StringMap<Operation *> reduced;
  bool hasFailed = false;
};

class VerifyPartitionPass
    : public impl::VerifyPartitionPassBase<VerifyPartitionPass> {
public:
  using VerifyPartitionPassBase::VerifyPartitionPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step) {
      getOperation().emitError() << "expected a function @step, got none";
      return signalPassFailure();
    }
    if (failed(PartitionVerifier(getOperation(), step).verify())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
