// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that outlive their readers lie with the state or metric; those of
// calls that are cut over ranks, in the rank's part of a buffer.
#include "passes/Fuse/Buffers/ResultBuffers.h"

#include "passes/Fuse/Buffers/InPlaceResults.h"

using namespace mlir;
using namespace accel;

bool accel::isSameCut(plan::ShardAttr one, plan::ShardAttr other) {
  return one.getElements() * other.getGranule() ==
             other.getElements() * one.getGranule() &&
         one.getAxes() == other.getAxes();
}

plan::ShardAttr accel::getRowShard(plan::ShardAttr shard, int64_t elements) {
  int64_t row = elements == 0 ? 0 : shard.getElements() / elements;
  if (row == 0 || shard.getElements() % elements != 0 ||
      shard.getGranule() % row != 0) {
    return {};
  }
  return plan::ShardAttr::get(shard.getContext(), elements,
                              shard.getGranule() / row, shard.getAxes());
}

/// The symbol that `result` is written to, or the metric that it is; null if it
/// is neither.
Value ResultBuffers::findStored(Value result) {
  for (Operation *user : result.getUsers()) {
    if (auto write = dyn_cast<WriteOp>(user)) {
      return symbols.getValue(write.getSymbol());
    }
    if (auto accumulate = dyn_cast<AccumulateOp>(user)) {
      return symbols.getGradient(accumulate.getSymbol());
    }
  }
  for (Operation *user : result.getUsers()) {
    if (auto metric = dyn_cast<MetricOp>(user)) {
      // The run reads metrics after the step, when the arena is no longer this
      // step's.
      OpBuilder &builder = declarations.getBuilder();
      return plan::BufferOp::create(
          builder, result.getLoc(), getBufferType(result.getType()),
          plan::Region::Persistent, plan::MemoryClass::Scalars,
          builder.getStringAttr("metric." + metric.getName()));
    }
  }
  return {};
}

Value ResultBuffers::addActivation(Value result) {
  return declarations.addTransient(result.getLoc(), result.getType(),
                                   plan::MemoryClass::Activations);
}

Value ResultBuffers::placeWhole(KernelCall &call, Value result) {
  Value buffer = findStored(result);
  if (!buffer) {
    std::optional<unsigned> operand =
        findOverwrittenOperand(call, result, values);
    buffer = operand ? declarations.getView(
                           call.op.getLoc(), call.buffers[*operand],
                           /*offset=*/0, getBufferType(result.getType()))
                     : addActivation(result);
  }
  values.set(result, buffer);
  return buffer;
}

/// Into a slot, or into the rank's part of a transient buffer. Sums over rows,
/// of which others read all, are zero where the rank owns nothing: a sum of
/// them is then the rank's share.
FailureOr<Value> ResultBuffers::placePart(const KernelCall &call, Value result,
                                          OpBuilder &builder) {
  func::CallOp op = call.op;
  plan::ShardAttr shard = call.shard;
  Value buffer = findStored(result);
  buffer = buffer ? buffer : addActivation(result);
  plan::BufferRange range = plan::getBufferRange(buffer);
  if (plan::ShardAttr there =
          range.part ? range.part : range.buffer.getShardAttr()) {
    if (!isSameCut(there, shard)) {
      return op.emitOpError("expected results that are all cut by ")
             << shard << ", got one that is cut by " << there;
    }
    values.set(result, buffer, there);
    return buffer;
  }
  int64_t elements = cast<RankedTensorType>(result.getType()).getNumElements();
  plan::ShardAttr rows = getRowShard(shard, elements);
  if (!rows) {
    return op.emitOpError("expected results with one element for each, or "
                          "for each row that divides the granule, of ")
           << shard.getElements() << ", got " << result.getType();
  }
  Value part = declarations.addPart(op.getLoc(), buffer, rows);
  if (rows.getElements() == shard.getElements()) {
    values.set(result, part, shard);
    return part;
  }
  plan::FillOp::create(builder, op.getLoc(), buffer);
  values.set(result, buffer);
  return part;
}

FailureOr<Value> ResultBuffers::place(KernelCall &call, Value result,
                                      OpBuilder &builder) {
  return call.shard ? placePart(call, result, builder)
                    : FailureOr<Value>(placeWhole(call, result));
}
