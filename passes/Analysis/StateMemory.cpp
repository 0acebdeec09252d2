// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The granule of the bucket, the elements of the slot.
#include "passes/Analysis/StateMemory.h"

#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace accel;

plan::ShardAttr accel::getStateShard(StateOp state) {
  if (dist::getHolding(state) == dist::Holding::All) {
    return {};
  }
  auto bucket = SymbolTable::lookupNearestSymbolFrom<BucketOp>(
      state, state.getBucketAttr());
  SmallVector<StringAttr> axes;
  for (StringRef axis : dist::getShardAxes()) {
    axes.push_back(StringAttr::get(state.getContext(), axis));
  }
  return plan::ShardAttr::get(
      state.getContext(),
      cast<RankedTensorType>(state.getType()).getNumElements(),
      static_cast<int64_t>(bucket.getGranule()), axes);
}

plan::MemoryClass accel::getStateClass(StateOp state) {
  if (state.getKind() != "slot") {
    return plan::MemoryClass::Scalars;
  }
  StringRef slot = state.getSlot().value_or("");
  return slot == "master"     ? plan::MemoryClass::Parameters
         : slot == "gradient" ? plan::MemoryClass::Gradients
                              : plan::MemoryClass::Optimizer;
}

SmallVector<ParameterOp> accel::getSegmentParameters(StateOp slot) {
  std::string master =
      (slot.getSymName().drop_back(slot.getSlot()->size()) + "master").str();
  SmallVector<ParameterOp> parameters;
  for (auto parameter :
       slot->getParentOfType<ModuleOp>().getOps<ParameterOp>()) {
    if (parameter.getSegment() == master) {
      parameters.push_back(parameter);
    }
  }
  return parameters;
}
