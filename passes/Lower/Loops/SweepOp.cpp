// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of a sweep's operation, and what it says of its trip count.
#include "passes/Lower/Loops/SweepOp.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

LogicalResult accel::checkSweep(linalg::GenericOp op) {
  if (op.getNumLoops() != 1 || !op.hasPureBufferSemantics()) {
    return op.emitOpError("expected one loop over buffers");
  }
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isIdentity() && map.getNumResults() != 0) {
      return op.emitOpError(
                 "expected operands mapped by (j) -> (j) or (j) -> (), got ")
             << AffineMapAttr::get(map);
    }
  }
  return success();
}

FailureOr<int64_t> accel::getDivisor(linalg::GenericOp op) {
  auto known = op->getAttrOfType<IntegerAttr>(kDivisorAttr);
  int64_t divisor = known ? known.getInt() : 1;
  if (divisor < 1 || !llvm::isPowerOf2_64(divisor)) {
    return op.emitOpError("expected ")
           << kDivisorAttr << " to be a power of two, got " << divisor;
  }
  return divisor;
}
