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
  StringRef master = *parameter.getSegment();
  return symbols.lookup<StateOp>(
      isa<AccumulateOp>(op)
          ? (master.drop_back(StringRef("master").size()) + "gradient").str()
          : master.str());
}
