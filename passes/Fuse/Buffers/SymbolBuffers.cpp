// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent buffers of states, views of them for parameters, transient memory
// for whole slots of which a rank holds a part, and io buffers of inputs.
#include "passes/Fuse/Buffers/SymbolBuffers.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/StateMemory.h"

using namespace mlir;
using namespace accel;

Value SymbolBuffers::getHeld(StateOp state) {
  Value &buffer = held[state];
  if (!buffer) {
    bool isPart = dist::getHolding(state) == dist::Holding::Part;
    buffer = plan::BufferOp::create(
        declarations.getBuilder(), state.getLoc(),
        getBufferType(state.getType()), plan::Region::Persistent,
        getStateClass(state), state.getSymNameAttr(), ElementsAttr(),
        /*copies=*/1, plan::Space::Device,
        isPart ? getStateShard(state) : plan::ShardAttr());
  }
  return buffer;
}

Value SymbolBuffers::getPart(StateOp state) {
  Value buffer = getHeld(state);
  if (dist::getHolding(state) == dist::Holding::Part) {
    return buffer;
  }
  return declarations.addPart(state.getLoc(), buffer, getStateShard(state));
}

Value SymbolBuffers::getWhole(StateOp state) {
  if (dist::getHolding(state) != dist::Holding::Part) {
    return getHeld(state);
  }
  Value &whole = wholes[state];
  if (!whole) {
    bool isGathered = state.isRead() && !initializes;
    whole = declarations.addTransient(state.getLoc(), state.getType(),
                                      isGathered ? plan::MemoryClass::Gathered
                                                 : getStateClass(state));
    if (!initializes) {
      whole.getDefiningOp<plan::BufferOp>().setSymbolAttr(
          state.getSymNameAttr());
    }
  }
  return whole;
}

Value SymbolBuffers::getParameter(ParameterOp parameter, SlotRole slot) {
  auto master = symbols.lookup<StateOp>(*parameter.getSegment());
  auto state = symbols.lookup<StateOp>(
      master.getSibling(SlotAttr::get(parameter.getContext(), slot)));
  return declarations.getView(
      parameter.getLoc(), getWhole(state), *parameter.getOffset(),
      getBufferType(slot == SlotRole::Compute ? parameter.getComputeType()
                                              : parameter.getType()));
}

Value SymbolBuffers::getSlot(StringRef symbol, SlotRole slot) {
  if (auto parameter = symbols.lookup<ParameterOp>(symbol)) {
    return getParameter(parameter, slot);
  }
  // Slots that are cut are touched by their owners only.
  auto state = symbols.lookup<StateOp>(symbol);
  return getStateShard(state) ? getPart(state) : getHeld(state);
}

Value SymbolBuffers::getInput(InputOp input) {
  Value &buffer = inputs[input.getNameAttr()];
  if (!buffer) {
    buffer = plan::BufferOp::create(
        declarations.getBuilder(), input.getLoc(),
        getBufferType(input.getType()), plan::Region::IO, plan::MemoryClass::IO,
        input.getNameAttr(), ElementsAttr(), /*copies=*/2);
    // What the data must be like (target, range, ignored label) goes into the
    // plan's signature.
    buffer.getDefiningOp()->setDiscardableAttrs(
        input->getDiscardableAttrDictionary());
  }
  return buffer;
}
