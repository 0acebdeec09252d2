// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a step of any number of microbatches, with the exact mean over their
// targets.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/LossScale.h"
#include "dialects/Accel/IR/ScalarBuilder.h"
#include "dialects/Accel/IR/StepNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTMICROBATCHLOOPPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// Builds @step around the body of @microbatch.
class StepBuilder {
public:
  StepBuilder(ModuleOp module, func::FuncOp microbatch, int64_t exponent)
      : module(module), microbatch(microbatch), exponent(exponent),
        builder(microbatch), loc(microbatch.getLoc()) {}

  void build() {
    auto step = func::FuncOp::create(builder, loc, "step",
                                     builder.getFunctionType({}, {}));
    setRole(step, FunctionRole::Step);
    builder.setInsertionPointToStart(step.addEntryBlock());
    clearAccumulators();
    buildLoop();
    reportMeans();
    func::ReturnOp::create(builder, loc);
    microbatch.erase();
  }

private:
  void clearAccumulators() {
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == StateKind::Accumulator ||
          state.getKind() == StateKind::AccumulatorMax) {
        ScalarBuilder s(builder, loc);
        s.write(state.getSymName(), s.constant(state.getType(), 0.0));
      }
    }
  }

  void buildLoop() {
    auto repeat = RepeatOp::create(builder, loc);
    Block &source = microbatch.getBody().front();
    Block *body = builder.createBlock(&repeat.getBody());
    for (BlockArgument argument : source.getArguments()) {
      argument.replaceAllUsesWith(createInput(argument));
    }
    source.getTerminator()->erase();
    body->getOperations().splice(body->end(), source.getOperations());
    builder.setInsertionPointAfter(repeat);
  }

  /// What the data pipeline gives for `argument`; the argument's attributes but
  /// its name describe it further.
  Value createInput(BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    auto input = InputOp::create(
        builder, argument.getLoc(), argument.getType(),
        microbatch.getArgAttrOfType<StringAttr>(index, "accel.name"));
    for (NamedAttribute attribute : microbatch.getArgAttrDict(index)) {
      if (attribute.getName() != "accel.name") {
        input->setDiscardableAttr(attribute.getName(), attribute.getValue());
      }
    }
    return input;
  }

  void reportMeans() {
    ScalarBuilder s(builder, loc);
    Value sum = s.read(kLossSumState);
    Value count = s.read(kTargetCountState);
    // Where nothing is counted the sums are zero, too. Weights of classes may
    // make a small count of many targets.
    Value divisor = s.max(count, s.number(kSmallestCount));
    Value loss = s.div(sum, divisor);
    if (module.lookupSymbol(kLossScaleState)) {
      Value lossScale = s.read(kLossScaleState);
      s.report(kLossScaleMetric, lossScale);
      divisor = s.mul(divisor, lossScale);
    }
    Value scale = s.div(s.number(std::ldexp(1.0, int(exponent))), divisor);
    s.report("loss", loss);
    s.report("tokens", count);
    s.report(kGradientScaleMetric, scale);
  }

  ModuleOp module;
  func::FuncOp microbatch;
  int64_t exponent;
  OpBuilder builder;
  Location loc;
};

class InsertMicrobatchLoopPass
    : public impl::InsertMicrobatchLoopPassBase<InsertMicrobatchLoopPass> {
public:
  using InsertMicrobatchLoopPassBase::InsertMicrobatchLoopPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto microbatch = module.lookupSymbol<func::FuncOp>("microbatch");
    auto exponent =
        module->getAttrOfType<IntegerAttr>("accel.gradient_exponent");
    if (!microbatch || !exponent || microbatch.getNumResults() != 0) {
      module.emitError("expected a function @microbatch without results and "
                       "attribute 'accel.gradient_exponent', got ")
          << (!microbatch ? "no function"
              : !exponent ? "no attribute"
                          : "results");
      return signalPassFailure();
    }
    StepBuilder(module, microbatch, exponent.getInt()).build();
    module->setAttr("accel.global_batch",
                    Builder(&getContext()).getI64IntegerAttr(globalBatch));
  }
};

} // namespace
} // namespace accel
