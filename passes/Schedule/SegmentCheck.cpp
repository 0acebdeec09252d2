// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots are called BUCKET.SEGMENT.SLOT.
#include "passes/Schedule/SegmentCheck.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

/// Segments by what the names of their slots begin with.
static llvm::StringMap<SegmentRefAttr> getSegments(ModuleOp module) {
  llvm::StringMap<SegmentRefAttr> segments;
  for (auto bucket : module.getOps<BucketOp>()) {
    for (auto segment : bucket.getSegments().getAsRange<SegmentAttr>()) {
      StringAttr name = segment.getName();
      segments[(bucket.getSymName() + "." + name.getValue()).str()] =
          bucket.getReference(name);
    }
  }
  return segments;
}

/// The state that `op` moves; nothing if it is no collective of a state.
static StringRef getMovedState(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<plan::AllGatherOp, plan::ReduceScatterOp>(
          [](auto collective) { return collective.getState(); })
      .Case([](plan::AllReduceOp reduce) {
        plan::BufferOp buffer = plan::getBufferRange(reduce.getBuffer()).buffer;
        return buffer.getSymbol().value_or("");
      })
      .Default(StringRef());
}

LogicalResult accel::checkSegments(func::FuncOp function) {
  llvm::StringMap<SegmentRefAttr> segments =
      getSegments(function->getParentOfType<ModuleOp>());
  WalkResult walked =
      function.walk([&](plan::InstructionOpInterface op) -> WalkResult {
        auto segment = op->getAttrOfType<SegmentRefAttr>(plan::kSegmentAttr);
        StringRef state = getMovedState(op);
        SegmentRefAttr expected = segments.lookup(state.rsplit('.').first);
        if (segment == expected) {
          return success();
        }
        InFlightDiagnostic error = op.emitOpError("expected to name ");
        expected ? error << expected : error << "no segment";
        error << ", as it moves '" << state << "', got ";
        segment ? error << segment : error << "none";
        return error;
      });
  return failure(walked.wasInterrupted());
}
