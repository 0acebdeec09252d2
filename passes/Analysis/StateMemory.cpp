// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The granule of the bucket, the elements of the slot.
#include "passes/Analysis/StateMemory.h"

#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace accel;

plan::ShardAttr accel::getStateShard(StateOp state) {
  if (dist::getHolding(state) == dist::Holding::All) {
    return {};
  }
  auto bucket = SymbolTable::lookupNearestSymbolFrom<BucketOp>(
      state, state.getSegment()->getBucket());
  // A slot with one element for each block of the segment is cut between the
  // same blocks, which a granule has whole.
  int64_t elements = cast<RankedTensorType>(state.getType()).getNumElements();
  int64_t block = getSlotBlock(state);
  SmallVector<StringAttr> axes;
  for (StringRef axis : dist::getShardAxes()) {
    axes.push_back(StringAttr::get(state.getContext(), axis));
  }
  return plan::ShardAttr::get(state.getContext(), elements,
                              static_cast<int64_t>(bucket.getGranule()) / block,
                              axes);
}

std::optional<int64_t> accel::getStateLayer(StateOp slot) {
  auto bucket = SymbolTable::lookupNearestSymbolFrom<BucketOp>(
      slot, slot.getSegment()->getBucket());
  return bucket && bucket.getLayer()
             ? std::optional<int64_t>(*bucket.getLayer())
             : std::nullopt;
}

int64_t accel::getSlotBlock(StateOp slot) {
  auto master = SymbolTable::lookupNearestSymbolFrom<StateOp>(
      slot, StringAttr::get(slot.getContext(), slot.getMasterName()));
  int64_t elements = cast<RankedTensorType>(slot.getType()).getNumElements();
  if (!master || elements == 0) {
    return 1;
  }
  return cast<RankedTensorType>(master.getType()).getNumElements() / elements;
}

bool accel::isFill(WriteOp write) {
  auto state = SymbolTable::lookupNearestSymbolFrom<StateOp>(
      write, write.getSymbolAttr());
  auto constant = write.getValue().getDefiningOp<ConstantOp>();
  return state && constant && state.getKind() == StateKind::Slot &&
         getSlotBlock(state) != 1 &&
         matchPattern(constant.getResult(), m_AnyZeroFloat());
}

plan::MemoryClass accel::getStateClass(StateOp state) {
  if (state.getKind() == StateKind::Input ||
      state.getKind() == StateKind::Output) {
    return plan::MemoryClass::IO;
  }
  if (state.getKind() != StateKind::Slot) {
    return plan::MemoryClass::Scalars;
  }
  switch (state.getSlot()->getRole()) {
  case SlotRole::Master:
  case SlotRole::Compute:
    return plan::MemoryClass::Parameters;
  case SlotRole::Gradient:
    return plan::MemoryClass::Gradients;
  case SlotRole::Optimizer:
    return plan::MemoryClass::Optimizer;
  }
  llvm_unreachable("every role has a class");
}

SmallVector<ParameterOp> accel::getSegmentParameters(StateOp slot) {
  std::string master = slot.getMasterName();
  SmallVector<ParameterOp> parameters;
  for (auto parameter :
       slot->getParentOfType<ModuleOp>().getOps<ParameterOp>()) {
    if (parameter.getSegment() == master) {
      parameters.push_back(parameter);
    }
  }
  return parameters;
}
