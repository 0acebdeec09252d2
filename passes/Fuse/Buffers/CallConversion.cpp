// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a call is cut over ranks follows from what it reads and writes.
#include "passes/Fuse/Buffers/CallConversion.h"

#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

/// How the states that results are written to are cut.
plan::ShardAttr CallConversion::findResultShard(func::CallOp call) const {
  for (Value result : call.getResults()) {
    for (Operation *user : result.getUsers()) {
      auto write = dyn_cast<WriteOp>(user);
      auto state =
          write ? symbols.lookup<StateOp>(write.getSymbol()) : StateOp();
      if (plan::ShardAttr shard =
              state ? getStateShard(state) : plan::ShardAttr()) {
        return shard;
      }
    }
  }
  return {};
}

/// How the elements of `call` are cut: null if every rank computes all. Of
/// operands that are cut it is the one with the most elements: others may have
/// one for each block of it.
plan::ShardAttr CallConversion::findShard(func::CallOp call) const {
  plan::ShardAttr longest;
  for (Value operand : call.getOperands()) {
    plan::ShardAttr shard = values.getShard(operand);
    if (shard && (!longest || shard.getElements() > longest.getElements())) {
      longest = shard;
    }
  }
  return longest ? longest : findResultShard(call);
}

/// Whether `kernel` reads `argument` along its rows, one number for each, and
/// in no other way.
static bool isReadByRows(func::FuncOp kernel, BlockArgument argument) {
  bool isByRows = true;
  kernel.walk([&](Operation *op) {
    for (Value operand : isViewOp(op) ? ValueRange() : op->getOperands()) {
      Value root = getViewRoot(operand);
      isByRows &= root != argument || getAccessRelation(operand, root).kind ==
                                          AccessKind::RowBroadcast;
    }
  });
  return isByRows;
}

/// Whether `kernel` reads single numbers of `argument` only, each of them for
/// all rows.
static bool isReadByNumbers(BlockArgument argument) {
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    auto slice = dyn_cast<SliceOp>(user);
    return slice && getNumElements(slice.getResult()) == 1;
  });
}

/// Of what every rank has all of, a call that is cut takes the rank's own rows,
/// or a number that is one for all.
FailureOr<Value> CallConversion::getRows(KernelCall &call, OpOperand &operand) {
  FailureOr<Value> buffer = values.get(operand.get());
  auto argument = call.kernel.getArgument(operand.getOperandNumber());
  if (failed(buffer) || !call.shard || getNumElements(argument) == 1 ||
      isReadByNumbers(argument)) {
    return buffer;
  }
  plan::ShardAttr rows = getRowShard(call.shard, getNumElements(argument));
  if (!rows || !isReadByRows(call.kernel, argument)) {
    return call.op.emitOpError("is cut by ")
           << call.shard << " and expected operands that are cut as well, have "
           << "one number for each row, or one for all, got "
           << argument.getType();
  }
  return declarations.addPart(call.op.getLoc(), *buffer, rows);
}

LogicalResult CallConversion::addOperands(KernelCall &call) {
  for (OpOperand &each : call.op->getOpOperands()) {
    Value operand = each.get();
    plan::ShardAttr shard = values.getShard(operand);
    if (shard && !isSameCut(shard, call.shard)) {
      return call.op.emitOpError("expected operands that are all cut by ")
             << call.shard << ", got one that is cut by " << shard;
    }
    FailureOr<Value> buffer = shard ? values.get(operand) : getRows(call, each);
    if (failed(buffer)) {
      return failure();
    }
    call.buffers.push_back(*buffer);
  }
  return success();
}

LogicalResult CallConversion::convert(func::CallOp op, OpBuilder &builder) {
  KernelCall call{op, symbols.lookup<func::FuncOp>(op.getCallee()),
                  findShard(op),
                  /*buffers=*/{}};
  if (failed(addOperands(call))) {
    return failure();
  }
  SmallVector<plan::Access> modes(call.buffers.size(), plan::Access::Read);
  for (OpResult result : op->getResults()) {
    FailureOr<Value> buffer = results.place(call, result, builder);
    if (failed(buffer)) {
      return failure();
    }
    call.buffers.push_back(*buffer);
    modes.push_back(isAccumulated(call.kernel, result.getResultNumber())
                        ? plan::Access::ReadWrite
                        : plan::Access::Write);
  }
  auto attributes =
      llvm::map_to_vector(modes, [&](plan::Access mode) -> Attribute {
        return builder.getI32IntegerAttr(static_cast<int32_t>(mode));
      });
  plan::LaunchOp::create(builder, op.getLoc(),
                         FlatSymbolRefAttr::get(call.kernel.getSymNameAttr()),
                         call.buffers, /*workspace=*/Value(),
                         builder.getArrayAttr(attributes), call.shard);
  return success();
}
