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
static llvm::StringMap<plan::SegmentAttr> getSegments(ModuleOp module) {
  llvm::StringMap<plan::SegmentAttr> segments;
  for (auto bucket : module.getOps<BucketOp>()) {
    for (auto segment : bucket.getSegments().getAsRange<DictionaryAttr>()) {
      auto name = segment.getAs<StringAttr>("name");
      segments[(bucket.getSymName() + "." + name.getValue()).str()] =
          plan::SegmentAttr::get(
              module.getContext(),
              FlatSymbolRefAttr::get(bucket.getSymNameAttr()), name);
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
  llvm::StringMap<plan::SegmentAttr> segments =
      getSegments(function->getParentOfType<ModuleOp>());
  WalkResult walked =
      function.walk([&](plan::InstructionOpInterface op) -> WalkResult {
        auto segment = op->getAttrOfType<plan::SegmentAttr>(plan::kSegmentAttr);
        StringRef state = getMovedState(op);
        plan::SegmentAttr expected = segments.lookup(state.rsplit('.').first);
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
