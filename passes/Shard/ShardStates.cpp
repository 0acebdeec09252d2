// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says of every slot what a rank holds of it.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_SHARDSTATESPASS
#include "passes/Shard/Passes.h.inc"

namespace {

/// What a rank holds of the slots of a trainable segment.
struct SlotHoldings {
  dist::Holding master, gradient, moments;
};

std::optional<SlotHoldings> getHoldings(StringRef mode) {
  using dist::Holding;
  constexpr SlotHoldings plain{Holding::All, Holding::All, Holding::All};
  constexpr SlotHoldings zero1{Holding::Whole, Holding::Whole, Holding::Part};
  constexpr SlotHoldings zero2{Holding::Whole, Holding::Part, Holding::Part};
  constexpr SlotHoldings fsdp{Holding::Part, Holding::Part, Holding::Part};
  return llvm::StringSwitch<std::optional<SlotHoldings>>(mode)
      .Case("plain", plain)
      .Case("zero1", zero1)
      .Case("zero2", zero2)
      .Case("fsdp", fsdp)
      .Default(std::nullopt);
}

class ShardStatesPass : public impl::ShardStatesPassBase<ShardStatesPass> {
public:
  using ShardStatesPassBase::ShardStatesPassBase;

  void runOnOperation() override {
    std::optional<SlotHoldings> holdings = getHoldings(mode);
    if (!holdings) {
      getOperation().emitError("mode: expected plain, zero1, zero2 or fsdp, "
                               "got '")
          << mode << "'";
      return signalPassFailure();
    }
    for (StateOp state : getOperation().getOps<StateOp>()) {
      if (state.getKind() == StateKind::Slot) {
        dist::setHolding(state, getHolding(state, *holdings));
      }
    }
  }

private:
  static dist::Holding getHolding(StateOp state, const SlotHoldings &holdings) {
    if (state.isGradient()) {
      return holdings.gradient;
    }
    if (!state.isMaster()) {
      return holdings.moments;
    }
    // Nobody updates what is frozen: it is stored in parts or not cut at all.
    bool isFrozen = state.getGroup() == OptimizerGroup::Frozen;
    return isFrozen && holdings.master == dist::Holding::Whole
               ? dist::Holding::All
               : holdings.master;
  }
};

} // namespace
} // namespace accel
