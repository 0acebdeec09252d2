// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Accumulate: one loop over microbatches, one update
// behind it, all state set up.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/StepNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYACCUMULATEPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// The symbols that operations of `OpTy` directly in `block` name.
template <typename OpTy> llvm::StringSet<> collectSymbols(Block &block) {
  llvm::StringSet<> symbols;
  for (OpTy op : block.getOps<OpTy>()) {
    symbols.insert(op.getSymbol());
  }
  return symbols;
}

class StepVerifier {
public:
  explicit StepVerifier(ModuleOp module) : module(module) {}

  LogicalResult verify() {
    auto step = findFunction(module, FunctionRole::Step);
    auto init = findFunction(module, FunctionRole::Initialize);
    if (!step || !init) {
      return module.emitError("expected functions of the roles initialize and "
                              "step after Accumulate, got none of role ")
             << (step ? "initialize" : "step");
    }
    Block &body = step.getBody().front();
    if (failed(verifyLoop(step, body))) {
      return failure();
    }
    verifyAccumulators(body);
    verifyInputs(body);
    verifyMetrics(step, body);
    verifyInit(init);
    return failure(hasFailed);
  }

private:
  LogicalResult verifyLoop(func::FuncOp step, Block &body) {
    auto count = [](auto range) {
      return std::distance(range.begin(), range.end());
    };
    auto loops = count(body.getOps<RepeatOp>());
    auto updates = count(body.getOps<UpdateOp>());
    if (loops != 1 || updates != 1) {
      return step.emitError("expected one accel.repeat and one accel.update in "
                            "a step, got ")
             << loops << " and " << updates;
    }
    repeat = *body.getOps<RepeatOp>().begin();
    UpdateOp update = *body.getOps<UpdateOp>().begin();
    if (!repeat->isBeforeInBlock(update)) {
      return update.emitError(
          "expected the update behind the loop, got it before");
    }
    return success();
  }

  /// Accumulators start from zero in every step; nothing is accumulated outside
  /// the loop.
  void verifyAccumulators(Block &body) {
    llvm::StringSet<> cleared;
    for (WriteOp write : body.getOps<WriteOp>()) {
      if (write->isBeforeInBlock(repeat)) {
        cleared.insert(write.getSymbol());
      }
    }
    // Counts are sums of another function (CountVerifier).
    for (StateOp state : module.getOps<StateOp>()) {
      bool isAccumulated = !state.getSymName().starts_with(kCountedPrefix) &&
                           (state.getKind() == StateKind::Accumulator ||
                            state.getKind() == StateKind::AccumulatorMax);
      if (isAccumulated && !cleared.contains(state.getSymName())) {
        hasFailed = true;
        state.emitError("expected accumulator '")
            << state.getSymName()
            << "' to be written before the loop, got no write";
      }
    }
    for (AccumulateOp op : body.getOps<AccumulateOp>()) {
      hasFailed = true;
      op.emitError("expected accumulation inside the loop over microbatches, "
                   "got it outside");
    }
  }

  void verifyInputs(Block &body) {
    module.walk([&](InputOp input) {
      if (input.getName() == kTraining) {
        hasFailed = true;
        input.emitError("expected functions that know whether they train, got "
                        "one that reads the input 'training'");
      }
    });
    for (InputOp input : body.getOps<InputOp>()) {
      if (input.getName() != "seed") {
        hasFailed = true;
        input.emitError("expected input '")
            << input.getName()
            << "' to be read inside the loop over microbatches, got it outside";
      }
    }
  }

  void verifyMetrics(func::FuncOp step, Block &body) {
    llvm::StringSet<> names;
    for (MetricOp metric : body.getOps<MetricOp>()) {
      names.insert(metric.getName());
    }
    for (StringRef name : {"loss", "tokens"}) {
      if (!names.contains(name)) {
        hasFailed = true;
        step.emitError("expected metric '")
            << name << "' to be reported, got none";
      }
    }
  }

  void verifyInit(func::FuncOp init) {
    llvm::StringSet<> written = collectSymbols<WriteOp>(init.getBody().front());
    for (StateOp state : module.getOps<StateOp>()) {
      if (!written.contains(state.getSymName())) {
        hasFailed = true;
        state.emitError("expected initialization to write state '")
            << state.getSymName() << "', got no write";
      }
    }
  }

  ModuleOp module;
  RepeatOp repeat;
  bool hasFailed = false;
};

/// Checks a function that measures: it adds up two sums, and leaves all else as
/// it is.
class EvaluationVerifier {
public:
  explicit EvaluationVerifier(func::FuncOp evaluate) : evaluate(evaluate) {}

  LogicalResult verify() {
    Block &body = evaluate.getBody().front();
    for (StringRef name : {kLossSumState, kTargetCountState}) {
      if (!collectSymbols<WriteOp>(body).contains(name)) {
        fail(evaluate) << "expected '" << name
                       << "' to be written before the loop, got no write";
      }
    }
    evaluate.walk([&](Operation *op) { verifyOperation(op); });
    llvm::StringSet<> names;
    for (MetricOp metric : body.getOps<MetricOp>()) {
      names.insert(metric.getName());
    }
    for (StringRef name : {kLossSumMetric, kTokensMetric}) {
      if (!names.contains(name)) {
        fail(evaluate) << "expected metric '" << name
                       << "' to be reported, got none";
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  void verifyOperation(Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      verifySum(op, write.getSymbol());
    } else if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      verifySum(op, accumulate.getSymbol());
    } else if (isa<UpdateOp>(op)) {
      fail(op) << "expected an evaluation to leave parameters as they are, got "
                  "an update";
    } else if (auto attention = dyn_cast<AttentionOp>(op);
               isa<DropoutOp, RandomNormalOp>(op) ||
               (attention && attention.getSamples())) {
      fail(op) << "expected an evaluation without random numbers, got "
               << op->getName() << " with some";
    }
  }

  void verifySum(Operation *op, StringRef symbol) {
    if (symbol != kLossSumState && symbol != kTargetCountState) {
      fail(op) << "expected an evaluation to change '" << kLossSumState
               << "' and '" << kTargetCountState << "' alone, got '" << symbol
               << "'";
    }
  }

  func::FuncOp evaluate;
  bool hasFailed = false;
};

/// Checks a function that counts for a step: all sums and counters of counts
/// are its work, and nothing else is.
class CountVerifier {
public:
  explicit CountVerifier(ModuleOp module)
      : module(module), count(findFunction(module, FunctionRole::Count)) {}

  LogicalResult verify() {
    llvm::StringSet<> cleared, written;
    if (count) {
      count.walk([&](Operation *op) { verifyOperation(op); });
      bool isBehind = false;
      for (Operation &op : count.getBody().front()) {
        isBehind |= isa<RepeatOp>(op);
        if (auto write = dyn_cast<WriteOp>(op)) {
          (isBehind ? written : cleared).insert(write.getSymbol());
        }
      }
    }
    for (StateOp state : module.getOps<StateOp>()) {
      StringRef name = state.getSymName();
      if (name.starts_with(kCountedPrefix) && !cleared.contains(name)) {
        fail(state) << "expected '" << name
                    << "' to be written before the loop of a function of role "
                       "count, got no write";
      }
      if (name.starts_with(kSamplesPerCountPrefix) && !written.contains(name)) {
        fail(state) << "expected '" << name
                    << "' to be written behind the loop of a function of role "
                       "count, got no write";
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  void verifyOperation(Operation *op) {
    auto write = dyn_cast<WriteOp>(op);
    auto accumulate = dyn_cast<AccumulateOp>(op);
    StringRef symbol = write        ? write.getSymbol()
                       : accumulate ? accumulate.getSymbol()
                                    : StringRef();
    bool isCount = symbol.starts_with(kCountedPrefix) ||
                   (write && symbol.starts_with(kSamplesPerCountPrefix));
    if ((write || accumulate) && !isCount) {
      fail(op) << "expected a function of role count to change counts alone, "
                  "got '"
               << symbol << "'";
    }
    if (isa<UpdateOp, MetricOp, DropoutOp, RandomNormalOp>(op)) {
      fail(op) << "expected a function of role count to count only, got "
               << op->getName();
    }
  }

  ModuleOp module;
  func::FuncOp count;
  bool hasFailed = false;
};

/// Checks a program that answers: every input is read from its state, every
/// output is written to its own, once, and nothing else changes.
class InferenceVerifier {
public:
  InferenceVerifier(ModuleOp module, func::FuncOp infer)
      : module(module), infer(infer) {}

  LogicalResult verify() {
    if (!findFunction(module, FunctionRole::Initialize)) {
      fail(module) << "expected a function of role initialize beside that of "
                      "role infer, got none";
    }
    SymbolTable symbols(module);
    llvm::StringMap<int64_t> writes;
    infer.walk([&](Operation *op) {
      auto write = dyn_cast<WriteOp>(op);
      if (write && isOutput(symbols, write.getSymbol())) {
        ++writes[write.getSymbol()];
      } else if (write || isa<AccumulateOp, MetricOp, UpdateOp, RepeatOp,
                              InputOp, DropoutOp, RandomNormalOp>(op)) {
        fail(op) << "expected a function of role infer to compute outputs "
                    "alone, got "
                 << op->getName();
      }
    });
    for (StateOp state : module.getOps<StateOp>()) {
      verifyState(state, writes.lookup(state.getSymName()));
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  static bool isOutput(SymbolTable &symbols, StringRef name) {
    auto state = symbols.lookup<StateOp>(name);
    return state && state.getKind() == StateKind::Output;
  }

  void verifyState(StateOp state, int64_t writes) {
    bool isOutput = state.getKind() == StateKind::Output;
    if (!isOutput && state.getKind() != StateKind::Input) {
      fail(state) << "expected inputs and outputs alone beside a function of "
                     "role infer, got a state of kind "
                  << stringifyStateKind(state.getKind());
    }
    if (!state->getAttrOfType<StringAttr>("accel.name")) {
      fail(state) << "expected '" << state.getSymName()
                  << "' to say what the model calls it, got no 'accel.name'";
    }
    bool isEmpty =
        cast<RankedTensorType>(state.getType()).getNumElements() == 0;
    if (isOutput && writes != (isEmpty ? 0 : 1)) {
      fail(state) << "expected output '" << state.getSymName()
                  << "' to be written once, got " << writes << " writes";
    }
  }

  ModuleOp module;
  func::FuncOp infer;
  bool hasFailed = false;
};

class VerifyAccumulatePass
    : public impl::VerifyAccumulatePassBase<VerifyAccumulatePass> {
public:
  using VerifyAccumulatePassBase::VerifyAccumulatePassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (auto infer = findFunction(getOperation(), FunctionRole::Infer)) {
      if (failed(InferenceVerifier(getOperation(), infer).verify())) {
        signalPassFailure();
      }
      return;
    }
    auto evaluate = findFunction(getOperation(), FunctionRole::Evaluate);
    bool hasFailed = failed(StepVerifier(getOperation()).verify());
    hasFailed |= evaluate && failed(EvaluationVerifier(evaluate).verify());
    hasFailed |= failed(CountVerifier(getOperation()).verify());
    if (hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
