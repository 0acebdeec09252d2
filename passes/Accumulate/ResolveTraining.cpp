// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides in each function what depends on whether it trains.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Analysis/DeadCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RESOLVETRAININGPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// The inputs of `function` that ask whether it trains.
SmallVector<InputOp> findQuestions(func::FuncOp function) {
  SmallVector<InputOp> questions;
  function.walk([&](InputOp input) {
    if (input.getName() == kTraining) {
      questions.push_back(input);
    }
  });
  return questions;
}

/// Replaces what chooses by `condition` by what it chooses.
void resolveSelects(Value condition, bool trains) {
  for (Operation *user : llvm::to_vector(condition.getUsers())) {
    if (auto repeated = dyn_cast<BroadcastOp>(user)) {
      resolveSelects(repeated.getResult(), trains);
    } else if (auto chosen = dyn_cast<SelectOp>(user)) {
      chosen.replaceAllUsesWith(trains ? chosen.getOnTrue()
                                       : chosen.getOnFalse());
    }
  }
}

class ResolveTrainingPass
    : public impl::ResolveTrainingPassBase<ResolveTrainingPass> {
public:
  using ResolveTrainingPassBase::ResolveTrainingPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getProgram(getOperation())) {
      SmallVector<InputOp> questions = findQuestions(function);
      if (!questions.empty()) {
        resolve(function, questions);
      }
    }
  }

private:
  static void resolve(func::FuncOp function, ArrayRef<InputOp> questions) {
    bool trains = getRole(function) == FunctionRole::Step;
    for (InputOp question : questions) {
      resolveSelects(question.getResult(), trains);
    }
    eraseDeadCode(function);
    for (InputOp question : findQuestions(function)) {
      OpBuilder builder(question);
      auto answer = ConstantOp::create(
          builder, question.getLoc(),
          DenseElementsAttr::get(cast<RankedTensorType>(question.getType()),
                                 trains));
      question.replaceAllUsesWith(answer.getResult());
      question.erase();
    }
    // What was chosen is the same as what gradients read.
    IRRewriter rewriter(function.getContext());
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
  }
};

} // namespace
} // namespace accel
