// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of values become views of their buffers.
#include "passes/Fuse/Buffers/ValueBuffers.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

void ValueBuffers::set(Value value, Value buffer, plan::ShardAttr shard) {
  buffers[value] = buffer;
  if (shard) {
    shards[value] = shard;
  }
}

FailureOr<Value> ValueBuffers::get(Value value) {
  if (Value known = buffers.lookup(value)) {
    return known;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    Value buffer = plan::BufferOp::create(
        declarations.getBuilder(), value.getLoc(),
        getBufferType(value.getType()), plan::Region::Constant,
        plan::MemoryClass::Constants, StringAttr(), constant.getValue());
    return buffers[value] = buffer;
  }
  Value root = getViewRoot(value, [&](Value v) { return buffers.contains(v); });
  int64_t offset = 0;
  if (root == value || !isContiguousPart(value, root, offset)) {
    return emitError(value.getLoc())
           << "expected a value that lies in one piece of memory, got " << value
           << ": the fusion planner is at fault; please report it with the "
              "model";
  }
  FailureOr<Value> buffer = get(root);
  if (failed(buffer)) {
    return failure();
  }
  return declarations.getView(value.getLoc(), *buffer, offset,
                              getBufferType(value.getType()));
}
