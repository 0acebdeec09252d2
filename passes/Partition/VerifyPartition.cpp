// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Partition: in each function that uses a state it is
// exchanged once, in the way and at the place that follow from what ranks hold
// of it (`dist.held`), and values of a microbatch that ranks have together are
// summed in the loop. Shares nothing with InsertCollectives.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYPARTITIONPASS
#include "passes/Partition/Passes.h.inc"

namespace {

enum class Place { InFront, InLoop, Behind };

StringRef describe(Place place) {
  return place == Place::InFront  ? "in front of the loop"
         : place == Place::InLoop ? "in the loop"
                                  : "behind the loop";
}

/// On which side of the exchange of its state a use must stand.
enum class Side { Either, InFront, Behind };

/// What an exchange is done by, where, over which ranks; and on which sides of
/// it the uses of the state are that have their place.
struct Rule {
  StringRef operation;
  Place place;
  ArrayRef<StringLiteral> axes;
  StringRef meaning;
  Side (*getSide)(Operation &use, Place place);
  dist::Reduction reduction = dist::Reduction::Sum; ///< of an all_reduce
};

//===----------------------------------------------------------------------===//
// The rules, each from what the ranks have and what the program needs
//===----------------------------------------------------------------------===//

/// Ranks add their own samples in the loop; what is behind it means all
/// samples.
Side getSideOfSum(Operation &, Place place) {
  return place == Place::Behind ? Side::Behind : Side::InFront;
}

/// Each rank writes its share of a number; who reads it means the sum.
Side getSideOfShare(Operation &use, Place) {
  return isa<ReadOp>(use) ? Side::Behind : Side::InFront;
}

/// Each rank updates its part of a tensor, which the next step reads.
Side getSideOfUpdated(Operation &, Place) { return Side::InFront; }

/// Ranks have their parts; microbatches read the whole.
Side getSideOfGathered(Operation &, Place place) {
  return place == Place::InLoop ? Side::Behind : Side::Either;
}

Rule sumForAll(Side (*getSide)(Operation &, Place)) {
  return {"dist.all_reduce", Place::Behind, dist::getDataAxes(),
          "summed over the ranks", getSide};
}

Rule maximumForAll(Side (*getSide)(Operation &, Place)) {
  return {"dist.all_reduce",          Place::Behind, dist::getDataAxes(),
          "the largest of all ranks", getSide,       dist::Reduction::Max};
}

/// A rank that holds room for the whole adds all microbatches up before ranks
/// sum; one that holds its part has the whole during a microbatch only.
Rule sumToParts(Place place) {
  return {"dist.reduce_scatter", place, dist::getShardAxes(),
          "summed over the ranks, to each its part,", getSideOfSum};
}

Rule gather(Place place) {
  return {"dist.all_gather", place, dist::getShardAxes(),
          "gathered from the ranks",
          place == Place::InLoop ? getSideOfGathered : getSideOfUpdated};
}

/// How `slot` is exchanged, of which all ranks hold the same without `held`.
std::optional<Rule> deriveSlotRule(StateOp slot, dist::HoldingAttr held) {
  bool isPart = held && held.getValue() == dist::Holding::Part;
  bool isCut = held && held.getValue() != dist::Holding::All;
  switch (slot.getSlot()->getRole()) {
  case SlotRole::Gradient:
    return isPart  ? sumToParts(Place::InLoop)
           : isCut ? sumToParts(Place::Behind)
                   : sumForAll(getSideOfSum);
  case SlotRole::Master:
  case SlotRole::Compute:
    if (!isCut || !slot.isRead()) {
      return std::nullopt; // everybody computes the same update, or owners do
    }
    return gather(isPart ? Place::InLoop : Place::Behind);
  case SlotRole::Optimizer:
    return std::nullopt; // only the update uses it, where it is held
  }
  llvm_unreachable("all roles are listed");
}

/// How `state` is exchanged; nothing if ranks need not exchange it.
std::optional<Rule> deriveRule(StateOp state) {
  switch (state.getKind()) {
  case StateKind::Accumulator:
    return sumForAll(getSideOfSum);
  case StateKind::AccumulatorMax:
    return maximumForAll(getSideOfSum);
  case StateKind::Partial:
    return sumForAll(getSideOfShare);
  case StateKind::PartialMax:
    return maximumForAll(getSideOfShare);
  case StateKind::Slot:
    return deriveSlotRule(
        state, state->getAttrOfType<dist::HoldingAttr>(dist::kHeldAttr));
  case StateKind::Hyperparameter:
  case StateKind::Counter:
  case StateKind::Scale:
  case StateKind::Input:
  case StateKind::Output:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether `op`, which exchanges a state as `rule` says, reduces as it says.
bool reducesBy(Operation &op, const Rule &rule) {
  auto reduce = dyn_cast<dist::AllReduceOp>(op);
  return !reduce || reduce.getReduction() == rule.reduction;
}

//===----------------------------------------------------------------------===//
// Exchanges and uses, in program order
//===----------------------------------------------------------------------===//

class PartitionVerifier {
public:
  PartitionVerifier(ModuleOp module, func::FuncOp function)
      : module(module), function(function), symbols(module) {}

  LogicalResult verify() {
    Place place = Place::InFront;
    for (Operation &op : function.getBody().front()) {
      if (auto loop = dyn_cast<RepeatOp>(op)) {
        for (Operation &inner : loop.getBody().front()) {
          verifyOperation(inner, Place::InLoop);
        }
        place = Place::Behind;
      } else {
        verifyOperation(op, place);
      }
    }
    for (StateOp state : module.getOps<StateOp>()) {
      std::optional<Rule> rule = deriveRuleHere(state);
      if (rule && used.contains(state) &&
          !exchanged.contains(state.getSymName())) {
        fail(state) << "expected '" << state.getSymName() << "' to be "
                    << rule->meaning << " " << describe(rule->place)
                    << ", got no " << rule->operation << " that does";
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  /// What owners have updated is gathered where they update it. A function that
  /// does not leaves what ranks hold whole as the last step left it.
  std::optional<Rule> deriveRuleHere(StateOp state) {
    std::optional<Rule> rule = deriveRule(state);
    if (rule && rule->getSide == getSideOfUpdated &&
        getRole(function) != FunctionRole::Step) {
      return std::nullopt;
    }
    return rule;
  }

  /// Ranks meet in the loop, with one microbatch each, whose values they add.
  void verifyValue(dist::AllReduceValueOp op, Place place) {
    ArrayRef<StringLiteral> axes = dist::getDataAxes();
    if (place != Place::InLoop) {
      fail(op) << "expected a value of the microbatch to be summed over the "
                  "ranks in the loop, got it "
               << describe(place);
    } else if (!llvm::equal(op.getAxes().getAsValueRange<StringAttr>(), axes)) {
      fail(op) << "expected a value of the microbatch to be summed over the "
                  "ranks along "
               << llvm::join(axes, " and ") << ", got " << op.getAxes();
    }
  }

  void verifyOperation(Operation &op, Place place) {
    if (auto sum = dyn_cast<dist::AllReduceValueOp>(op)) {
      verifyValue(sum, place);
      return;
    }
    if (auto names = op.getAttrOfType<ArrayAttr>("symbols");
        names && isa<dist::DistDialect>(op.getDialect())) {
      for (auto symbol : names.getAsRange<FlatSymbolRefAttr>()) {
        verifyExchange(op, symbol, place);
      }
      return;
    }
    for (NamedAttribute attribute : op.getAttrs()) {
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
        verifyUse(op, symbol, place);
      }
    }
  }

  void verifyExchange(Operation &op, FlatSymbolRefAttr symbol, Place place) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    std::optional<Rule> rule = state ? deriveRuleHere(state) : std::nullopt;
    if (!rule) {
      fail(&op) << "expected a state that ranks exchange, got " << symbol;
      return;
    }
    used.insert(state);
    StringRef name = op.getName().getStringRef();
    auto axes = op.getAttrOfType<ArrayAttr>("axes");
    if (name != rule->operation || place != rule->place) {
      fail(&op) << "expected " << symbol << " to be " << rule->meaning << " "
                << describe(rule->place) << " (" << rule->operation << "), got "
                << name << " " << describe(place);
    } else if (!exchanged.insert({symbol.getValue(), &op}).second) {
      fail(&op) << "expected " << symbol << " to be exchanged once, got it "
                << "twice";
    } else if (!llvm::equal(axes.getAsValueRange<StringAttr>(), rule->axes)) {
      fail(&op) << "expected " << symbol << " to be " << rule->meaning
                << " along " << llvm::join(rule->axes, " and ") << ", got "
                << axes;
    } else if (!reducesBy(op, *rule)) {
      fail(&op) << "expected " << symbol << " to be " << rule->meaning
                << ", got another reduction";
    }
  }

  /// The state whose elements `op` uses under the name `symbol`: a parameter's
  /// are those of its segment's master, or of the gradient or what microbatches
  /// read beside it.
  StateOp findState(Operation &op, FlatSymbolRefAttr symbol) {
    auto parameter = symbols.lookup<ParameterOp>(symbol.getValue());
    if (!parameter) {
      return symbols.lookup<StateOp>(symbol.getValue());
    }
    auto master = parameter.getSegment()
                      ? symbols.lookup<StateOp>(*parameter.getSegment())
                      : StateOp();
    bool isGradient = isa<AccumulateOp, GradientOp>(op);
    bool isNarrow = master && op.getNumResults() == 1 && !isGradient &&
                    getElementTypeOrSelf(op.getResult(0).getType()) !=
                        getElementTypeOrSelf(master.getType());
    if (!master || (!isGradient && !isNarrow)) {
      return master;
    }
    SlotRole role = isGradient ? SlotRole::Gradient : SlotRole::Compute;
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == StateKind::Slot &&
          state.getSlot()->getRole() == role &&
          state.getSegment() == master.getSegment()) {
        return state;
      }
    }
    return {};
  }

  void verifyUse(Operation &op, FlatSymbolRefAttr symbol, Place place) {
    StateOp state = findState(op, symbol);
    if (!state) {
      return;
    }
    used.insert(state);
    std::optional<Rule> rule = deriveRuleHere(state);
    Side side = rule ? rule->getSide(op, place) : Side::Either;
    if (side == Side::Either) {
      return;
    }
    bool isBehind =
        exchanged.contains(state.getSymName()) || place > rule->place;
    if (isBehind != (side == Side::Behind)) {
      fail(&op) << "expected this use of " << symbol << " "
                << (isBehind ? "in front of" : "behind") << " the "
                << rule->operation << " of '" << state.getSymName()
                << "', got it " << (isBehind ? "behind" : "in front");
    }
  }

  ModuleOp module;
  func::FuncOp function;
  SymbolTable symbols;
  llvm::StringMap<Operation *> exchanged;
  llvm::SetVector<Operation *> used; ///< states
  bool hasFailed = false;
};

/// What owners write of a state that ranks hold whole, they gather behind it:
/// there is no update yet that would. Of what all have shares they reduce them.
LogicalResult verifyInitialize(ModuleOp module, func::FuncOp initialize) {
  bool hasFailed = false;
  llvm::StringMap<WriteOp> open;
  for (Operation &op : initialize.getBody().front()) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      auto state = module.lookupSymbol<StateOp>(write.getSymbol());
      std::optional<Rule> rule = state ? deriveRule(state) : std::nullopt;
      bool isShare = state && (state.getKind() == StateKind::Partial ||
                               state.getKind() == StateKind::PartialMax);
      bool isOwners = rule && rule->operation == "dist.all_gather" &&
                      rule->place == Place::Behind;
      if (isShare || isOwners) {
        open[write.getSymbol()] = write;
      }
    } else if (auto names = op.getAttrOfType<ArrayAttr>("symbols");
               names && isa<dist::DistDialect>(op.getDialect())) {
      auto axes = op.getAttrOfType<ArrayAttr>("axes");
      for (auto symbol : names.getAsRange<FlatSymbolRefAttr>()) {
        auto state = module.lookupSymbol<StateOp>(symbol.getValue());
        std::optional<Rule> rule = state ? deriveRule(state) : std::nullopt;
        bool isDone =
            rule && op.getName().getStringRef() == rule->operation &&
            llvm::equal(axes.getAsValueRange<StringAttr>(), rule->axes) &&
            reducesBy(op, *rule);
        if (!isDone || !open.erase(symbol.getValue())) {
          hasFailed = true;
          op.emitError("expected initialization to exchange what it has "
                       "written in parts, along the axes of its ranks, got ")
              << op.getName() << " of " << symbol << " along " << axes;
        }
      }
    }
  }
  for (auto &entry : open) {
    hasFailed = true;
    WriteOp write = entry.second;
    auto rule = deriveRule(module.lookupSymbol<StateOp>(write.getSymbol()));
    write.emitError("expected '")
        << entry.first() << "' to be " << rule->meaning
        << " behind this write, got no " << rule->operation << " that does";
  }
  return failure(hasFailed);
}

/// What microbatches have together is not what a rank has of it.
LogicalResult verifyNoneIsLeft(ModuleOp module) {
  WalkResult walked = module.walk([](SumOverRanksOp sum) -> WalkResult {
    return sum.emitError("expected this value to be summed over the ranks in "
                         "the loop, got no dist.all_reduce_value that does");
  });
  return failure(walked.wasInterrupted());
}

class VerifyPartitionPass
    : public impl::VerifyPartitionPassBase<VerifyPartitionPass> {
public:
  using VerifyPartitionPassBase::VerifyPartitionPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (func::FuncOp function : getRunning(getOperation())) {
      if (failed(PartitionVerifier(getOperation(), function).verify())) {
        return signalPassFailure();
      }
    }
    func::FuncOp initialize =
        findFunction(getOperation(), FunctionRole::Initialize);
    if (failed(verifyNoneIsLeft(getOperation())) ||
        (initialize && failed(verifyInitialize(getOperation(), initialize)))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
