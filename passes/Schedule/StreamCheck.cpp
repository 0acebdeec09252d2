// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction that names no stream would run on the first one.
#include "passes/Schedule/StreamCheck.h"

#include "dialects/Plan/IR/PlanOps.h"

using namespace mlir;
using namespace accel;

LogicalResult accel::checkStreams(ModuleOp module) {
  plan::StreamList streams(module);
  Operation *with = nullptr, *without = nullptr;
  WalkResult walked =
      module.walk([&](plan::InstructionOpInterface op) -> WalkResult {
        (op.getStream() ? with : without) = op;
        if (!streams.find(op)) {
          return op.emitOpError("runs on stream ")
                 << op.getStream() << ", which the module does not declare";
        }
        return success();
      });
  if (walked.wasInterrupted()) {
    return failure();
  }
  return with && without
             ? without->emitOpError("names no stream, and others do")
             : success();
}
