// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the first contribution to a parameter's gradient take the place of what
// was there instead of being added to zeros.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/GradientAccumulation.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/KernelVariants.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Fuse/Passes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace accel {
#define GEN_PASS_DEF_STOREGRADIENTSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class GradientStores {
public:
  explicit GradientStores(ModuleOp module) : module(module), symbols(module) {}

  void run(func::FuncOp step, RepeatOp loop);

private:
  void collectContributions(Block &body);
  void markSegments();
  bool isBeginning(OpResult result) const;
  void rewriteCalls(Block &body);
  void createFlag(func::FuncOp step, RepeatOp loop);

  ModuleOp module;
  SymbolTable symbols;
  /// By parameter, the result of a call that contributes first.
  llvm::StringMap<OpResult> first;
  /// Parameters with a contribution that a kernel does not add itself.
  llvm::StringSet<> others;
  /// Parameters whose gradients begin with a store.
  llvm::StringSet<> stored;
  bool needsFlag = false;
  Value flag; ///< inside the loop
};

} // namespace

/// The gradient that `result` is added to, by a kernel: null if it is not.
static AccumulateOp getContribution(OpResult result,
                                    const SymbolTable &symbols) {
  auto call = cast<func::CallOp>(result.getOwner());
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  bool isAdded = kernel && result.hasOneUse() &&
                 isAccumulated(kernel, result.getResultNumber());
  return isAdded ? dyn_cast<AccumulateOp>(*result.user_begin())
                 : AccumulateOp();
}

/// Calls write where they stand, not where the accumulation stands: their order
/// says what comes first.
void GradientStores::collectContributions(Block &body) {
  for (auto call : body.getOps<func::CallOp>()) {
    for (OpResult result : call->getResults()) {
      if (AccumulateOp add = getContribution(result, symbols)) {
        first.try_emplace(add.getSymbol(), result);
      }
    }
  }
  for (auto add : body.getOps<AccumulateOp>()) {
    auto call = add.getValue().getDefiningOp<func::CallOp>();
    bool isKernel =
        call && getContribution(cast<OpResult>(add.getValue()), symbols);
    if (!isKernel) {
      others.insert(add.getSymbol());
    }
  }
}

void GradientStores::markSegments() {
  for (auto state : module.getOps<StateOp>()) {
    if (!state.isGradient()) {
      continue;
    }
    // What a rank holds a part of begins with what is scattered first.
    if (dist::getHolding(state) == dist::Holding::Part) {
      needsFlag = true;
      continue;
    }
    SmallVector<ParameterOp> parameters = getSegmentParameters(state);
    bool isStored = llvm::all_of(parameters, [&](ParameterOp parameter) {
      StringRef name = parameter.getSymName();
      return first.contains(name) && !others.contains(name);
    });
    if (!isStored) {
      continue;
    }
    state->setAttr(kStoredAttr, UnitAttr::get(module.getContext()));
    needsFlag = true;
    for (ParameterOp parameter : parameters) {
      stored.insert(parameter.getSymName());
    }
  }
}

/// Whether `result` is what the gradient of a parameter begins with.
bool GradientStores::isBeginning(OpResult result) const {
  AccumulateOp add = getContribution(result, symbols);
  return add && stored.contains(add.getSymbol()) &&
         first.lookup(add.getSymbol()) == result;
}

void GradientStores::rewriteCalls(Block &body) {
  SmallVector<KernelUse> uses;
  for (auto call : body.getOps<func::CallOp>()) {
    uses.push_back(
        {call, symbols.lookup<func::FuncOp>(call.getCallee()),
         llvm::map_to_vector(call->getResults(), [&](OpResult result) {
           return isBeginning(result) ? ResultMode::AddedIfKept
                                      : ResultMode::AsItIs;
         })});
  }
  assignVariants(symbols, uses, [&](Operation *user, func::FuncOp kernel) {
    cast<func::CallOp>(user).setCallee(kernel.getSymName());
    user->insertOperands(user->getNumOperands(), flag);
  });
}

/// False in the first microbatch of a step.
void GradientStores::createFlag(func::FuncOp step, RepeatOp loop) {
  OpBuilder builder(step);
  Location loc = loop.getLoc();
  RankedTensorType type = getFlagType(builder.getContext());
  symbols.insert(StateOp::create(builder, loc, kAccumulatingState, type,
                                 StateKind::Accumulator));
  auto write = [&](bool value) {
    Value constant = ConstantOp::create(builder, loc, type,
                                        DenseElementsAttr::get(type, value));
    WriteOp::create(builder, loc, kAccumulatingState, constant);
  };
  builder.setInsertionPoint(loop);
  write(false);
  Block &body = loop.getBody().front();
  builder.setInsertionPointToStart(&body);
  flag = ReadOp::create(builder, loc, type, kAccumulatingState);
  builder.setInsertionPointToEnd(&body);
  write(true);
}

void GradientStores::run(func::FuncOp step, RepeatOp loop) {
  Block &body = loop.getBody().front();
  collectContributions(body);
  markSegments();
  if (needsFlag) {
    createFlag(step, loop);
    rewriteCalls(body);
  }
}

namespace {

class StoreGradientsPass
    : public accel::impl::StoreGradientsPassBase<StoreGradientsPass> {
  void runOnOperation() override {
    auto step = findFunction(getOperation(), FunctionRole::Step);
    if (!step) {
      return;
    }
    for (auto loop : step.getBody().front().getOps<RepeatOp>()) {
      return GradientStores(getOperation()).run(step, loop);
    }
  }
};

} // namespace
