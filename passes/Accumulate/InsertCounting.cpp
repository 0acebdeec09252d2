// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function that counts what a step divides by before it begins: the
// step without all else.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/ScalarBuilder.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Analysis/DeadCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTCOUNTINGPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// Erases the effects in `function` on states that `isErased` names, and with
/// `erasesOthers` all effects that are not on states.
template <typename Predicate>
void eraseEffects(func::FuncOp function, bool erasesOthers,
                  Predicate isErased) {
  SmallVector<Operation *> erased;
  function.walk([&](Operation *op) {
    bool isOther = isa<MetricOp, UpdateOp>(op) && erasesOthers;
    auto accumulate = dyn_cast<AccumulateOp>(op);
    auto write = dyn_cast<WriteOp>(op);
    if (isOther || (accumulate && isErased(accumulate.getSymbol())) ||
        (write && isErased(write.getSymbol()))) {
      erased.push_back(op);
    }
  });
  for (Operation *op : erased) {
    op->erase();
  }
  eraseDeadCode(function);
}

class InsertCountingPass
    : public impl::InsertCountingPassBase<InsertCountingPass> {
public:
  using InsertCountingPassBase::InsertCountingPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = findFunction(module, FunctionRole::Step);
    if (!step) {
      module.emitError("expected a function of role step, got none");
      return signalPassFailure();
    }
    if (!module.lookupSymbol<StateOp>(kCountedSamplesState)) {
      return markAllAnalysesPreserved();
    }
    auto isSum = [](StringRef symbol) {
      return symbol.starts_with(kCountedPrefix);
    };
    func::FuncOp count = step.clone();
    count.setSymName("count");
    setRole(count, FunctionRole::Count);
    // A parameter may have the name.
    SymbolTable(module).insert(count, step->getIterator());
    eraseEffects(count, /*erasesOthers=*/true,
                 [&](StringRef symbol) { return !isSum(symbol); });
    writeCounters(module, count);
    eraseEffects(step, /*erasesOthers=*/false, isSum);
  }

private:
  /// What microbatches of the step read: samples through each count.
  static void writeCounters(ModuleOp module, func::FuncOp count) {
    OpBuilder builder(count.getBody().front().getTerminator());
    ScalarBuilder s(builder, count.getLoc());
    Value samples = s.read(kCountedSamplesState);
    for (StateOp state : module.getOps<StateOp>()) {
      StringRef number = state.getSymName();
      if (!number.consume_front(kSamplesPerCountPrefix)) {
        continue;
      }
      Value sum = s.read((kCountedPrefix + number).str());
      // Where nothing is counted the losses are zero, too.
      Value divisor = s.max(sum, s.number(kSmallestCount));
      s.write(state.getSymName(), s.div(samples, divisor));
    }
  }
};

} // namespace
} // namespace accel
