// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows what is written back to the select that has chosen it.
#include "passes/Shard/UpdateCheck.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace accel;

namespace {

/// What is kept of tensors whose scales are known before a step.
constexpr StringLiteral kDelayedStates[] = {
    kDelayedScaleState, kDelayedHistoryState, kDelayedColumnState};

class UpdateChecker {
public:
  UpdateChecker(ModuleOp module, func::FuncOp step)
      : symbols(module), step(step) {
    if (auto name = module->getAttrOfType<StringAttr>(kOptimizerAttr)) {
      optimizer = findOptimizer(name.getValue());
    }
    step.walk([&](MetricOp metric) {
      auto chosen = metric.getName() == "finite"
                        ? metric.getValue().getDefiningOp<SelectOp>()
                        : SelectOp();
      condition = chosen ? chosen.getCondition() : condition;
    });
  }

  LogicalResult check() {
    bool hasFailed = false;
    step.walk([&](WriteOp write) {
      if (isTrained(write.getSymbol()) && failed(check(write))) {
        hasFailed = true;
      }
    });
    hasFailed |= failed(checkDelayed());
    for (StateOp state : step->getParentOfType<ModuleOp>().getOps<StateOp>()) {
      bool isCompute =
          state.getSlot() && state.getSlot()->getRole() == SlotRole::Compute;
      if (isCompute && seen.contains(state.getMasterName()) &&
          !seen.contains(state.getSymName())) {
        hasFailed = true;
        state.emitError("expected a step that writes '")
            << state.getMasterName() << "' to write '" << state.getSymName()
            << "', which microbatches read, got none";
      }
    }
    return failure(hasFailed);
  }

private:
  /// Whether a step that is not finite must not change it.
  bool isTrained(StringRef symbol) const {
    Operation *declaration = symbols.lookup(symbol);
    if (isa_and_nonnull<ParameterOp>(declaration)) {
      return true;
    }
    auto state = dyn_cast_or_null<StateOp>(declaration);
    if (!state) {
      return false;
    }
    if (state.getKind() == StateKind::Slot) {
      return !state.isGradient();
    }
    return llvm::is_contained(kDelayedStates, symbol) ||
           (optimizer && optimizer->findPower(symbol));
  }

  /// The read that `value` is; of what becomes codes, the one that it decodes.
  static ReadOp findOld(Value value, QuantizeOp coded) {
    if (!coded) {
      return value.getDefiningOp<ReadOp>();
    }
    auto decoded = value.getDefiningOp<DequantizeOp>();
    return decoded && decoded.getCode() == coded.getCode()
               ? decoded.getOperand().getDefiningOp<ReadOp>()
               : ReadOp();
  }

  /// What microbatches read is what the master becomes.
  LogicalResult checkRounded(WriteOp write, StateOp compute) {
    Value rounded = findRounded(write);
    return rounded && isWritten(rounded, compute.getMasterName())
               ? success()
               : write.emitError("expected '")
                     << write.getSymbol()
                     << "' to get what is written to its master, rounded, "
                        "got another value";
  }

  /// What the next step casts with is written, and its inverse is that of what
  /// is written.
  LogicalResult checkDelayed() {
    for (StringRef name : kDelayedStates) {
      if (symbols.lookup(name) && !seen.contains(name)) {
        return step.emitError("expected a step to write '")
               << name << "', of which the next scales are made, got none";
      }
    }
    bool isInverse = !symbols.lookup(kDelayedScaleState);
    step.walk([&](WriteOp write) {
      auto quotient = write.getSymbol() == kDelayedInverseState
                          ? write.getValue().getDefiningOp<DivOp>()
                          : DivOp();
      isInverse |= quotient && isWritten(quotient.getRhs(), kDelayedScaleState);
    });
    return isInverse ? success()
                     : step.emitError("expected a step to write '")
                           << kDelayedInverseState << "' as 1 over what it "
                           << "writes to '" << kDelayedScaleState
                           << "', got another value";
  }

  static bool isWritten(Value value, StringRef state) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<WriteOp>(user);
      return write && write.getSymbol() == state;
    });
  }

  LogicalResult check(WriteOp write) {
    if (!seen.insert(write.getSymbol()).second) {
      return write.emitError("expected one write of '")
             << write.getSymbol() << "' in a step, got a second one";
    }
    auto state = symbols.lookup<StateOp>(write.getSymbol());
    if (state && state.getSlot() &&
        state.getSlot()->getRole() == SlotRole::Compute) {
      return checkRounded(write, state);
    }
    Value written = write.getValue();
    auto coded = written.getDefiningOp<QuantizeOp>();
    written = coded ? coded.getOperand() : written;
    auto chosen = written.getDefiningOp<SelectOp>();
    auto old = chosen ? findOld(chosen.getOnFalse(), coded) : ReadOp();
    if (!old || old.getSymbol() != write.getSymbol()) {
      return write.emitError("expected '")
             << write.getSymbol()
             << "' to keep its value in a step that is not finite, got a write "
                "without a select of it";
    }
    Value asked = chosen.getCondition();
    if (auto repeated = asked.getDefiningOp<BroadcastOp>()) {
      asked = repeated.getOperand();
    }
    if (!condition || asked != condition) {
      return write.emitError("expected '")
             << write.getSymbol()
             << "' to be chosen by the condition that metric 'finite' "
                "reports, got "
             << (condition ? "another one" : "no such metric");
    }
    return success();
  }

  SymbolTable symbols;
  func::FuncOp step;
  const Optimizer *optimizer = nullptr;
  Value condition;        ///< null: no metric reports it
  llvm::StringSet<> seen; ///< what has been written
};

} // namespace

/// Scales multiply rows of one granule, and are written in front of what they
/// have multiplied.
Value accel::findRounded(WriteOp write) {
  auto skipReshape = [](Value value) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    return reshape ? Value(reshape.getOperand()) : value;
  };
  auto rounded = write.getValue().getDefiningOp<CastOp>();
  if (!rounded) {
    return {};
  }
  Value wide = rounded.getOperand();
  if (!isFp8(getElementTypeOrSelf(rounded.getType()))) {
    return wide;
  }
  auto scaled = skipReshape(wide).getDefiningOp<MulOp>();
  auto writes = [&](StringRef state) {
    return llvm::any_of(
        write->getBlock()->getOps<WriteOp>(), [&](WriteOp other) {
          return other.getSymbol() == state && other->isBeforeInBlock(write);
        });
  };
  bool isKnown = writes(kWeightScaleState) && writes(kWeightInverseState);
  return scaled && isKnown ? skipReshape(scaled.getLhs()) : Value();
}

LogicalResult accel::checkUpdate(ModuleOp module) {
  func::FuncOp step = findFunction(module, FunctionRole::Step);
  return step ? UpdateChecker(module, step).check() : success();
}
