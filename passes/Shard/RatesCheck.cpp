// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters are compared with the first one of their segment.
#include "passes/Shard/RatesCheck.h"

#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Optimizers/Average.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace accel;

namespace {

class RatesChecker {
public:
  explicit RatesChecker(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult check() {
    for (auto parameter : module.getOps<ParameterOp>()) {
      if (parameter.getTrainable() && parameter.getSegment()) {
        checkParameter(parameter);
      }
    }
    bool averages = symbols.lookup(kEmaState) != nullptr;
    for (auto state : module.getOps<StateOp>()) {
      bool isTrained = state.getGroup() == OptimizerGroup::Decayed ||
                       state.getGroup() == OptimizerGroup::Undecayed;
      if (state.isMaster()) {
        checkAverage(state, averages && isTrained);
      }
    }
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  void checkParameter(ParameterOp parameter) {
    ParameterOp first =
        firsts.try_emplace(*parameter.getSegment(), parameter).first->second;
    bool isAlike = parameter.getRateFactor() == first.getRateFactor() &&
                   parameter.getOwnDecay() == first.getOwnDecay();
    auto master = symbols.lookup<StateOp>(*parameter.getSegment());
    if (!isAlike) {
      fail(parameter) << "expected all parameters of segment '"
                      << *parameter.getSegment()
                      << "' to be updated at one rate and decay, got '"
                      << first.getSymName() << "' and '"
                      << parameter.getSymName() << "'";
    }
    if (master && parameter.getOwnDecay() &&
        master.getGroup() != OptimizerGroup::Decayed) {
      fail(parameter) << "expected parameter '" << parameter.getSymName()
                      << "', which has a weight decay, in a decayed segment, "
                         "got group "
                      << stringifyOptimizerGroup(*master.getGroup());
    }
  }

  void checkAverage(StateOp master, bool isAveraged) {
    auto slot = SlotAttr::getKept(module.getContext(), kAverageSlot.name);
    std::string name = master.getSibling(slot);
    if (bool(symbols.lookup<StateOp>(name)) != isAveraged) {
      fail(master) << "expected slot '" << name
                   << "' exactly if the segment is trained and averaged, got "
                   << (isAveraged ? "none" : "one");
    } else if (isAveraged) {
      checkCopy(master, name);
    }
  }

  void checkCopy(StateOp master, StringRef average) {
    func::FuncOp init = findFunction(module, FunctionRole::Initialize);
    if (!init) {
      return;
    }
    int64_t copies = 0;
    init.walk([&](WriteOp write) {
      auto parameter = symbols.lookup<ParameterOp>(write.getSymbol());
      if (parameter && parameter.getSegment() == master.getSymName()) {
        copies = 0; // what was copied before is no longer the master
      }
      if (write.getSymbol() == average) {
        auto read = write.getValue().getDefiningOp<ReadOp>();
        copies += read && read.getSymbol() == master.getSymName();
      }
    });
    if (copies != 1) {
      fail(master)
          << "expected '" << average
          << "' to be initialized once, to a copy of its master behind "
             "what is written to that, got "
          << copies << " such writes";
    }
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<ParameterOp> firsts; ///< of each segment
  bool hasFailed = false;
};

} // namespace

LogicalResult accel::checkRates(ModuleOp module) {
  return RatesChecker(module).check();
}
