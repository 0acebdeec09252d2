// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says of every slot what a rank holds of it.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_SHARDSTATESPASS
#include "passes/Shard/Passes.h.inc"

namespace {

/// What a rank holds of the slots of a trainable segment: of what microbatches
/// read, of gradients, and of what only the update touches.
struct SlotHoldings {
  dist::Holding read, gradient, updated;
};

SlotHoldings getHoldings(dist::ShardingMode mode) {
  using dist::Holding;
  switch (mode) {
  case dist::ShardingMode::Plain:
    return {Holding::All, Holding::All, Holding::All};
  case dist::ShardingMode::Zero1:
    return {Holding::Whole, Holding::Whole, Holding::Part};
  case dist::ShardingMode::Zero2:
    return {Holding::Whole, Holding::Part, Holding::Part};
  case dist::ShardingMode::FSDP:
    return {Holding::Part, Holding::Part, Holding::Part};
  }
  llvm_unreachable("all modes are listed");
}

class ShardStatesPass : public impl::ShardStatesPassBase<ShardStatesPass> {
public:
  using ShardStatesPassBase::ShardStatesPassBase;

  void runOnOperation() override {
    SlotHoldings holdings = getHoldings(mode);
    for (StateOp state : getOperation().getOps<StateOp>()) {
      if (state.getKind() == StateKind::Slot) {
        dist::setHolding(state, getHolding(state, holdings));
      }
    }
    setMesh();
  }

private:
  /// All ranks of a run lie along one axis: that along which states are cut, or
  /// that of copies of the whole.
  void setMesh() {
    Builder builder(&getContext());
    StringRef runs = mode == dist::ShardingMode::Plain
                         ? dist::getDataAxes().front()
                         : dist::getShardAxes().front();
    NamedAttrList degrees;
    for (StringRef axis : dist::getMeshAxes()) {
      degrees.set(axis, builder.getI64IntegerAttr(axis == runs ? 0 : 1));
    }
    getOperation()->setAttr(dist::kMeshAttr,
                            degrees.getDictionary(&getContext()));
  }

  static dist::Holding getHolding(StateOp state, const SlotHoldings &holdings) {
    if (state.isGradient()) {
      return holdings.gradient;
    }
    // Nobody updates what is frozen: it is stored in parts or not cut at all.
    if (state.getGroup() == OptimizerGroup::Frozen) {
      return holdings.read == dist::Holding::Whole ? dist::Holding::All
                                                   : holdings.read;
    }
    return state.isRead() ? holdings.read : holdings.updated;
  }
};

} // namespace
} // namespace accel
