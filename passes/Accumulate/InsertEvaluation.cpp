// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function that measures the loss: the step without what it trains
// with.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/ScalarBuilder.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Analysis/DeadCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTEVALUATIONPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// Strips a copy of the step of all but the sums of losses and targets.
class EvaluationBuilder {
public:
  explicit EvaluationBuilder(func::FuncOp evaluate) : evaluate(evaluate) {}

  void build() {
    eraseTraining();
    removeDropout();
    reportSums();
    // Gradients, and the inputs and states that only they have read.
    eraseDeadCode(evaluate);
  }

private:
  static bool isSum(StringRef symbol) {
    return symbol == kLossSumState || symbol == kTargetCountState;
  }

  /// Whether `op` does what only a step does: adds to a gradient or to what
  /// scales are made of, sets other states, reports what a step reports.
  static bool isTraining(Operation *op) {
    if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      return !isSum(accumulate.getSymbol());
    }
    if (auto write = dyn_cast<WriteOp>(op)) {
      return !isSum(write.getSymbol());
    }
    return isa<MetricOp, UpdateOp>(op);
  }

  void eraseTraining() {
    SmallVector<Operation *> erased;
    evaluate.walk([&](Operation *op) {
      if (isTraining(op)) {
        erased.push_back(op);
      }
    });
    for (Operation *op : erased) {
      op->erase();
    }
  }

  void removeDropout() {
    SmallVector<DropoutOp> dropouts;
    evaluate.walk([&](Operation *op) {
      if (auto dropout = dyn_cast<DropoutOp>(op)) {
        dropouts.push_back(dropout);
      } else if (auto attention = dyn_cast<AttentionOp>(op)) {
        attention.getSamplesMutable().clear();
        attention.getSeedMutable().clear();
        attention.getSiteOffsetMutable().clear();
        attention.setProbability(APFloat(0.0));
        attention.setSite(0);
      }
    });
    for (DropoutOp dropout : dropouts) {
      dropout.replaceAllUsesWith(dropout.getOperand());
      dropout.erase();
    }
  }

  /// The division comes last, behind all parts of the data.
  void reportSums() {
    OpBuilder builder(evaluate.getBody().front().getTerminator());
    ScalarBuilder s(builder, evaluate.getLoc());
    s.report(kLossSumMetric, s.read(kLossSumState));
    s.report(kTokensMetric, s.read(kTargetCountState));
  }

  func::FuncOp evaluate;
};

class InsertEvaluationPass
    : public impl::InsertEvaluationPassBase<InsertEvaluationPass> {
public:
  using InsertEvaluationPassBase::InsertEvaluationPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = findFunction(module, FunctionRole::Step);
    if (!step) {
      module.emitError("expected a function of role step, got none");
      return signalPassFailure();
    }
    if (StringRef reason = getReason(module); !reason.empty()) {
      remark::missed(step.getLoc(), remark::RemarkOpts::name("NoEvaluation")
                                        .category("accel-insert-evaluation"))
          << remark::add("no function to evaluate")
          << remark::reason("{0}", reason.str());
      return markAllAnalysesPreserved();
    }
    func::FuncOp evaluate = step.clone();
    evaluate.setSymName("evaluate");
    setRole(evaluate, FunctionRole::Evaluate);
    // A parameter may have the name.
    SymbolTable(module).insert(evaluate, std::next(step->getIterator()));
    EvaluationBuilder(evaluate).build();
  }

private:
  /// Why the loss of other data cannot be measured sample by sample; empty: it
  /// can.
  static StringRef getReason(ModuleOp module) {
    auto objective = module->getAttrOfType<DictionaryAttr>("accel.objective");
    for (StringRef name : {"whole_microbatches", "no_evaluation"}) {
      if (auto reason =
              objective ? objective.getAs<StringAttr>(name) : StringAttr()) {
        return reason.getValue();
      }
    }
    return {};
  }
};

} // namespace
} // namespace accel
