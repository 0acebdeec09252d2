// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the `dist` dialect.
#include "dialects/Dist/IR/DistOps.h"

#include "dialects/Accel/IR/AccelOps.h"

using namespace mlir;
using namespace accel;
using namespace accel::dist;

/// Every symbol names a state of floats, each once; with `sharded`, one that is
/// cut over ranks.
template <typename OpTy>
static LogicalResult verifyStates(OpTy op, SymbolTableCollection &symbols,
                                  bool sharded) {
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto symbol : op.getSymbols().template getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, symbol);
    auto type = state ? dyn_cast<RankedTensorType>(state.getType())
                      : RankedTensorType();
    if (!type || !isa<FloatType>(type.getElementType())) {
      return op.emitOpError("expected the name of a state of floats, got ")
             << symbol;
    }
    if (sharded && getHolding(state) == Holding::All) {
      return op.emitOpError("expected a state that is cut over ranks (")
             << kHeldAttr << "), got " << symbol;
    }
    if (!seen.insert(symbol).second) {
      return op.emitOpError("expected each state once, got ")
             << symbol << " twice";
    }
  }
  return success();
}

// all_reduce_c2
LogicalResult AllReduceOp::verify() { return verifyAxes(*this, getAxes()); }

// all_reduce_c1
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStates(*this, symbols, /*sharded=*/false);
}

// all_reduce_value_c1
LogicalResult AllReduceValueOp::verify() {
  return verifyAxes(*this, getAxes());
}

// reduce_scatter_c2
LogicalResult ReduceScatterOp::verify() { return verifyAxes(*this, getAxes()); }

// reduce_scatter_c1
LogicalResult
ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStates(*this, symbols, /*sharded=*/true);
}

// all_gather_c2
LogicalResult AllGatherOp::verify() { return verifyAxes(*this, getAxes()); }

// all_gather_c1
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStates(*this, symbols, /*sharded=*/true);
}

#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.cpp.inc"
