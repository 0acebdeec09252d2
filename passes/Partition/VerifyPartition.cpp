// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Partition: in each function that uses a state it is
// exchanged once, in the way and at the place that what ranks hold of it asks
// for.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/StateExchange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallPtrSet.h"
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

/// What an exchange is done by, and where.
struct Rule {
  StringRef operation;
  Place place;
  StringRef meaning;
};

Rule getRule(StateExchange exchange) {
  switch (exchange) {
  case StateExchange::ReduceBehindLoop:
  case StateExchange::ReduceBehindWrite:
    return {"dist.all_reduce", Place::Behind, "summed over the ranks"};
  case StateExchange::ScatterBehindLoop:
    return {"dist.reduce_scatter", Place::Behind,
            "summed over the ranks, to each its part,"};
  case StateExchange::ScatterInLoop:
    return {"dist.reduce_scatter", Place::InLoop,
            "summed over the ranks, to each its part,"};
  case StateExchange::GatherBehindUpdate:
    return {"dist.all_gather", Place::Behind, "gathered from the ranks"};
  case StateExchange::GatherInLoop:
    return {"dist.all_gather", Place::InLoop, "gathered from the ranks"};
  case StateExchange::None:
    break;
  }
  return {};
}

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
      StateExchange exchange = accel::getExchange(state);
      if (exchange != StateExchange::None && touched.contains(state) &&
          !exchanged.contains(state.getSymName())) {
        Rule rule = getRule(exchange);
        fail(state) << "expected '" << state.getSymName() << "' to be "
                    << rule.meaning << " " << describe(rule.place)
                    << ", got no " << rule.operation << " that does";
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  void verifyOperation(Operation &op, Place place) {
    llvm::TypeSwitch<Operation *>(&op)
        .Case<dist::AllReduceOp, dist::ReduceScatterOp, dist::AllGatherOp>(
            [&](auto collective) {
              for (auto symbol :
                   collective.getSymbols()
                       .template getAsRange<FlatSymbolRefAttr>()) {
                verifyExchange(collective, symbol, place);
              }
            })
        .Default([&](Operation *other) { verifyUse(*other, place); });
  }

  void verifyExchange(Operation *op, FlatSymbolRefAttr symbol, Place place) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    StateExchange exchange =
        state ? accel::getExchange(state) : StateExchange::None;
    if (exchange == StateExchange::None) {
      fail(op) << "expected a state that ranks exchange, got " << symbol;
      return;
    }
    touched.insert(state);
    Rule rule = getRule(exchange);
    StringRef name = op->getName().getStringRef();
    if (name != rule.operation || place != rule.place) {
      fail(op) << "expected " << symbol << " to be " << rule.meaning << " "
               << describe(rule.place) << " (" << rule.operation << "), got "
               << name << " " << describe(place);
    } else if (!exchanged.insert({symbol.getValue(), op}).second) {
      fail(op) << "expected " << symbol << " to be exchanged once, got it "
               << "twice";
    }
  }

  /// Uses in front of an exchange see what a rank has alone; those that must
  /// come in front of it come too late behind it.
  void verifyUse(Operation &op, Place place) {
    StateOp state = findTouchedState(symbols, &op);
    if (!state) {
      return;
    }
    touched.insert(state);
    bool isBehind = exchanged.contains(state.getSymName());
    bool mustBeBehind = false;
    bool mustBeInFront = false;
    switch (accel::getExchange(state)) {
    case StateExchange::ReduceBehindLoop:
    case StateExchange::ScatterBehindLoop:
      mustBeBehind = place == Place::Behind;
      break;
    case StateExchange::ReduceBehindWrite:
      mustBeBehind = isa<ReadOp>(op);
      mustBeInFront = !mustBeBehind;
      break;
    case StateExchange::GatherBehindUpdate:
      mustBeInFront = true;
      break;
    case StateExchange::ScatterInLoop:
      mustBeInFront = place == Place::InLoop;
      break;
    case StateExchange::GatherInLoop:
      mustBeBehind = place == Place::InLoop;
      break;
    case StateExchange::None:
      break;
    }
    if ((mustBeBehind && !isBehind) || (mustBeInFront && isBehind)) {
      Rule rule = getRule(accel::getExchange(state));
      fail(&op) << "expected this use of " << op.getAttr("symbol") << " "
                << (mustBeBehind ? "behind" : "in front of") << " the "
                << rule.operation << " of '" << state.getSymName()
                << "', got it " << (isBehind ? "behind" : "in front");
    }
  }

  ModuleOp module;
  func::FuncOp function;
  SymbolTable symbols;
  llvm::StringMap<Operation *> exchanged;
  llvm::SmallPtrSet<Operation *, 16> touched; ///< states that it uses
  bool hasFailed = false;
};

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
  }
};

} // namespace
} // namespace accel
