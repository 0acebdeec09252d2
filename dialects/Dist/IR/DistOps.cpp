// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the `dist` dialect.
#include "dialects/Dist/IR/DistOps.h"

#include "dialects/Accel/IR/AccelOps.h"

using namespace mlir;
using namespace accel;
using namespace accel::dist;

LogicalResult AllReduceOp::verify() {
  // all_reduce_c2
  return verifyAxes(*this, getAxes());
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // all_reduce_c1
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto symbol : getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookupNearestSymbolFrom<StateOp>(*this, symbol);
    auto type = state ? dyn_cast<RankedTensorType>(state.getType())
                      : RankedTensorType();
    if (!type || !isa<FloatType>(type.getElementType())) {
      return emitOpError("expected the name of a state of floats, got ")
             << symbol;
    }
    if (!seen.insert(symbol).second) {
      return emitOpError("expected each state once, got ")
             << symbol << " twice";
    }
  }
  return success();
}

#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.cpp.inc"
