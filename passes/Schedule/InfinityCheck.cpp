// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists are compared with what the program says once it is complete.
#include "passes/Schedule/InfinityCheck.h"

#include "passes/Analysis/Infinities.h"

using namespace mlir;
using namespace accel;

/// Whether access `number` of `op` writes floats.
static bool writesFloats(plan::InstructionOpInterface op, int64_t number) {
  SmallVector<plan::BufferAccess> accesses = op.getAccesses();
  return number < static_cast<int64_t>(accesses.size()) &&
         accesses[number].access != plan::Access::Read &&
         isa<FloatType>(cast<MemRefType>(accesses[number].buffer.getType())
                            .getElementType());
}

static LogicalResult checkList(plan::InstructionOpInterface op,
                               ArrayAttr expected) {
  auto list = op->getAttrOfType<ArrayAttr>(plan::kInfinitiesAttr);
  for (auto each : list ? list.getAsRange<plan::InfinityAttr>()
                        : ArrayAttr::get(op->getContext(), {})
                              .getAsRange<plan::InfinityAttr>()) {
    if (!writesFloats(op, each.getAccess())) {
      return op.emitOpError("expected infinities of an access that writes "
                            "floats, got access ")
             << each.getAccess();
    }
  }
  if (list == expected) {
    return success();
  }
  InFlightDiagnostic error = op.emitOpError("expected infinities ");
  expected ? error << expected : error << "of no access";
  error << ", which is what its operands and its kernel say, got ";
  list ? error << list : error << "none";
  return error;
}

LogicalResult accel::checkInfinities(func::FuncOp function) {
  bool isDecided = false;
  function.walk([&](plan::InstructionOpInterface op) {
    isDecided |= op->hasAttr(plan::kPhaseAttr);
  });
  if (!isDecided) {
    return success();
  }
  bool hasFailed = false;
  findInfinities(function, [&](plan::InstructionOpInterface op,
                               ArrayRef<Infinities> written) {
    hasFailed =
        hasFailed ||
        failed(checkList(op, getInfinitiesAttr(op->getContext(), written)));
  });
  return failure(hasFailed);
}
