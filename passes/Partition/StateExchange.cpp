// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which state an operation touches.
#include "passes/Partition/StateExchange.h"

using namespace mlir;
using namespace accel;

StateOp accel::findTouchedState(const SymbolTable &symbols, Operation *op) {
  auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("symbol");
  if (!symbol) {
    return {};
  }
  if (auto state = symbols.lookup<StateOp>(symbol.getValue())) {
    return state;
  }
  auto parameter = symbols.lookup<ParameterOp>(symbol.getValue());
  if (!parameter || !parameter.getSegment()) {
    return {};
  }
  auto master = symbols.lookup<StateOp>(*parameter.getSegment());
  SlotRole role = SlotRole::Master;
  if (isa<AccumulateOp, GradientOp>(op)) {
    role = SlotRole::Gradient;
  } else if (auto read = dyn_cast<ReadOp>(op)) {
    role = parameter.getSlotRole(read.getType());
  }
  return master ? symbols.lookup<StateOp>(
                      master.getSibling(SlotAttr::get(op->getContext(), role)))
                : master;
}
