// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of states that are cut over ranks, and the collectives between them.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Analysis/IndexRanges.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Fuse/FunctionBuffers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

Value FunctionBuffers::stateBuffer(StringRef name, Type type) {
  Value &buffer = states[top.getStringAttr(name)];
  if (!buffer) {
    auto state = symbols.lookup<StateOp>(name);
    bool isPart = dist::getHolding(state) == dist::Holding::Part;
    buffer = plan::BufferOp::create(
        top, state.getLoc(), getBufferType(type), plan::Region::Persistent,
        getStateClass(state), top.getStringAttr(name), ElementsAttr(),
        /*copies=*/1, plan::Space::Device,
        isPart ? getStateShard(state) : plan::ShardAttr());
  }
  return buffer;
}

Value FunctionBuffers::partOf(StateOp state) {
  Value buffer = stateBuffer(state.getSymName(), state.getType());
  if (dist::getHolding(state) == dist::Holding::Part) {
    return buffer;
  }
  return plan::PartOp::create(top, state.getLoc(), buffer,
                              getStateShard(state));
}

Value FunctionBuffers::wholeOf(StateOp state) {
  if (dist::getHolding(state) != dist::Holding::Part) {
    return stateBuffer(state.getSymName(), state.getType());
  }
  Value &whole = wholes[state];
  if (!whole) {
    bool isGathered =
        state.isMaster() && getRole(function) != FunctionRole::Initialize;
    whole = declareTransient(
        state.getLoc(), state.getType(),
        isGathered ? plan::MemoryClass::Gathered : getStateClass(state),
        isGathered ? plan::Space::Shared : plan::Space::Device);
    if (getRole(function) != FunctionRole::Initialize) {
      whole.getDefiningOp<plan::BufferOp>().setSymbolAttr(
          state.getSymNameAttr());
    }
  }
  return whole;
}

bool accel::isSameCut(plan::ShardAttr one, plan::ShardAttr other) {
  return one.getElements() * other.getGranule() ==
             other.getElements() * one.getGranule() &&
         one.getAxes() == other.getAxes();
}

/// Of operands that are cut the one with the most elements: others may have one
/// for each block of it.
plan::ShardAttr FunctionBuffers::getShard(func::CallOp call) {
  plan::ShardAttr longest;
  for (Value operand : call.getOperands()) {
    plan::ShardAttr shard = parts.lookup(operand);
    if (shard && (!longest || shard.getElements() > longest.getElements())) {
      longest = shard;
    }
  }
  if (longest) {
    return longest;
  }
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

/// Where a sharded call puts a result: into a slot, or into the rank's part of
/// a transient buffer. Sums over rows, of which others read all, are zero where
/// the rank owns nothing: a sum of them is then the rank's share.
FailureOr<Value> FunctionBuffers::shardedResult(func::CallOp call, Value result,
                                                plan::ShardAttr shard,
                                                OpBuilder &builder) {
  Value buffer = destinationOf(result);
  auto range = plan::getBufferRange(buffer);
  int64_t elements = cast<RankedTensorType>(result.getType()).getNumElements();
  if (plan::ShardAttr there =
          range.part ? range.part : range.buffer.getShardAttr()) {
    if (!isSameCut(there, shard)) {
      return call.emitOpError("expected results that are all cut by ")
             << shard << ", got one that is cut by " << there;
    }
    return buffers[result] = buffer;
  }
  int64_t row = elements == 0 ? 0 : shard.getElements() / elements;
  if (row == 0 || shard.getElements() % elements != 0 ||
      shard.getGranule() % row != 0) {
    return call.emitOpError("expected results with one element for each, or "
                            "for each row that divides the granule, of ")
           << shard.getElements() << ", got " << result.getType();
  }
  auto rows = plan::ShardAttr::get(module.getContext(), elements,
                                   shard.getGranule() / row, shard.getAxes());
  Value part = plan::PartOp::create(top, call.getLoc(), buffer, rows);
  if (row == 1) {
    parts[result] = shard;
    return buffers[result] = part;
  }
  plan::FillOp::create(builder, call.getLoc(), buffer);
  buffers[result] = buffer;
  return part;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void FunctionBuffers::convertAllReduce(dist::AllReduceOp op,
                                       OpBuilder &builder) {
  for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    plan::AllReduceOp::create(builder, op.getLoc(),
                              stateBuffer(symbol.getValue(), state.getType()),
                              op.getAxes());
  }
}

/// Both ends of what is exchanged in the loop: Schedule places it, by bucket.
void FunctionBuffers::declareExchanged(ArrayAttr names) {
  for (auto symbol : names.getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    wholeOf(state);
    partOf(state);
  }
}

void FunctionBuffers::convertAllGather(dist::AllGatherOp op,
                                       OpBuilder &builder) {
  if (isPlacedLater(op)) {
    return declareExchanged(op.getSymbols());
  }
  for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    plan::AllGatherOp::create(
        builder, op.getLoc(), builder.getStringAttr(symbol.getValue()),
        partOf(state), wholeOf(state), getStateShard(state));
  }
}

/// A kernel that adds its operand to its result, element by element, or stores
/// it where its second operand is false.
void FunctionBuffers::addAccumulateKernel(RankedTensorType type) {
  int64_t elements = type.getNumElements();
  std::string name = getAccumulateKernelName(elements);
  if (symbols.lookup(name)) {
    return;
  }
  MLIRContext *context = module.getContext();
  Location loc = UnknownLoc::get(context);
  auto kernel = func::FuncOp::create(
      loc, name,
      FunctionType::get(context, {type, getFlagType(context)}, {type}));
  kernel.setPrivate();
  Block *body = kernel.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  func::ReturnOp::create(builder, loc, body->getArgument(0));
  auto domain = IterationDomain::make(LoopKind::Flat, elements, elements);
  kernel->setAttr(kKernelAttr, domain.getAttr(context));
  kernel.setResultAttr(0, kAccumulateAttr, builder.getI64IntegerAttr(1));
  symbols.insert(kernel);
}

/// What a rank adds its part of a microbatch's sum to, by which kernel, and
/// whether the microbatch is the first.
LogicalResult FunctionBuffers::declareAccumulation(dist::ReduceScatterOp op) {
  auto flag = symbols.lookup<StateOp>(kAccumulatingState);
  if (!flag) {
    return op.emitOpError("expected a state '")
           << kAccumulatingState << "', which StoreGradients adds, got none";
  }
  for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    wholeOf(state);
    addAccumulateKernel(cast<RankedTensorType>(state.getType()));
    stateBuffer(kAccumulatingState, flag.getType());
    partOf(state);
  }
  return success();
}

LogicalResult FunctionBuffers::convertReduceScatter(dist::ReduceScatterOp op,
                                                    OpBuilder &builder) {
  if (isPlacedLater(op)) {
    return declareAccumulation(op);
  }
  for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    auto state = symbols.lookup<StateOp>(symbol.getValue());
    plan::ShardAttr shard = getStateShard(state);
    Value whole = wholeOf(state);
    // In place: the part's own memory is that of the sum.
    Value part = plan::PartOp::create(top, op.getLoc(), whole, shard);
    plan::ReduceScatterOp::create(builder, op.getLoc(),
                                  builder.getStringAttr(symbol.getValue()),
                                  whole, part, shard);
  }
  return success();
}

/// Of a gradient that begins with what kernels store: what none stores, as no
/// parameter lies there, is zero from the beginning.
void FunctionBuffers::clearGaps() {
  OpBuilder builder(function.getBody().front().getTerminator());
  for (auto state : module.getOps<StateOp>()) {
    if (!state->hasAttr(kStoredAttr)) {
      continue;
    }
    IndexRanges taken;
    for (ParameterOp parameter : getSegmentParameters(state)) {
      int64_t offset = *parameter.getOffset();
      auto type = cast<RankedTensorType>(parameter.getType());
      taken.insert(offset, offset + type.getNumElements());
    }
    auto type = cast<RankedTensorType>(state.getType());
    Location loc = state.getLoc();
    taken.eachGap(type.getNumElements(), [&](int64_t begin, int64_t end) {
      auto gap = MemRefType::get({end - begin}, type.getElementType());
      plan::FillOp::create(builder, loc,
                           viewOf(wholeOf(state), begin, gap, loc));
    });
  }
}

/// Other gradients begin at zero in each step.
void FunctionBuffers::clearGradients() {
  if (!loop) {
    return;
  }
  OpBuilder before(loop);
  for (auto state : module.getOps<StateOp>()) {
    if (state.isGradient() && !state->hasAttr(kStoredAttr) &&
        dist::getHolding(state) != dist::Holding::Part) {
      plan::FillOp::create(before, state.getLoc(), wholeOf(state));
    }
  }
}

/// `init` computes whole segments and keeps the rank's part of each, as soon as
/// a segment is complete.
void FunctionBuffers::storeInitialParts() {
  for (auto &[op, whole] : wholes) {
    auto state = cast<StateOp>(op);
    Operation *first = nullptr;
    Operation *last = nullptr;
    function.walk([&](plan::InstructionOpInterface instruction) {
      for (plan::BufferAccess access : instruction.getAccesses()) {
        if (plan::getBufferRange(access.buffer).buffer.getResult() == whole) {
          first = first ? first : instruction.getOperation();
          last = instruction;
        }
      }
    });
    // Gaps between parameters are zero, so that a rank's state is a function of
    // the seed alone.
    OpBuilder builder(first);
    plan::FillOp::create(builder, op->getLoc(), whole);
    builder.setInsertionPointAfter(last);
    Value part =
        plan::PartOp::create(top, op->getLoc(), whole, getStateShard(state));
    plan::CopyOp::create(builder, op->getLoc(), part, partOf(state));
  }
}
