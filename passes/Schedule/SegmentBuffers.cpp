// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks buffers up by the slot whose elements they hold.
#include "passes/Schedule/SegmentBuffers.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace accel;

SegmentBuffers::SegmentBuffers(func::FuncOp function)
    : module(function->getParentOfType<ModuleOp>()) {
  for (auto buffer : function.getOps<plan::BufferOp>()) {
    if (!buffer.getSymbolAttr()) {
      continue;
    }
    if (buffer.getRegion() == plan::Region::Persistent) {
      persistent.insert({buffer.getSymbolAttr(), buffer});
    } else if (buffer.getRegion() == plan::Region::Transient) {
      wholes.insert({buffer.getSymbolAttr(), buffer});
    }
  }
}

FailureOr<SegmentBuffer> SegmentBuffers::find(Operation *exchange,
                                              StringAttr name) {
  SegmentBuffer found{module.lookupSymbol<StateOp>(name),
                      persistent.lookup(name), wholes.lookup(name)};
  if (!found.state || !found.state.getSegment() || !found.held ||
      !found.held.getShardAttr() || !found.whole) {
    return exchange->emitOpError("expected '")
           << name.getValue()
           << "' to be a slot of a bucket, with a sharded persistent buffer "
              "for the rank's part and a transient one for all of it";
  }
  return found;
}

void SegmentBuffers::erase(Value whole) {
  for (Operation *view : llvm::make_early_inc_range(whole.getUsers())) {
    erase(view->getResult(0));
  }
  whole.getDefiningOp()->erase();
}
