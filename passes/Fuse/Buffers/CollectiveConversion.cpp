// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction per state, on what a rank holds of it and all of it, and one
// per value, on a buffer that becomes the sum.
#include "passes/Fuse/Buffers/CollectiveConversion.h"

#include "passes/Analysis/GradientAccumulation.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/StateMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

SmallVector<StateOp> CollectiveConversion::getStates(ArrayAttr names) const {
  return llvm::map_to_vector(names.getAsRange<FlatSymbolRefAttr>(),
                             [&](FlatSymbolRefAttr name) {
                               return symbols.lookup<StateOp>(name.getValue());
                             });
}

void CollectiveConversion::convert(dist::AllReduceOp op, OpBuilder &builder) {
  for (StateOp state : getStates(op.getSymbols())) {
    plan::AllReduceOp::create(
        builder, op.getLoc(), symbolBuffers.getHeld(state), op.getAxes(),
        op.getReduction() == dist::Reduction::Max ? plan::Reduction::Max
                                                  : plan::Reduction::Sum,
        state.getSegmentAttr());
  }
}

/// Whether nobody but `op` reads its operand, which a kernel has left in
/// transient memory.
static bool mayOverwrite(dist::AllReduceValueOp op, Value buffer) {
  Value operand = op.getOperand();
  return operand.hasOneUse() &&
         isa_and_nonnull<func::CallOp>(operand.getDefiningOp()) &&
         plan::getBufferRange(buffer).buffer.getRegion() ==
             plan::Region::Transient;
}

LogicalResult CollectiveConversion::convert(dist::AllReduceValueOp op,
                                            OpBuilder &builder) {
  FailureOr<Value> buffer = values.get(op.getOperand());
  if (failed(buffer)) {
    return failure();
  }
  Value sum = *buffer;
  if (!mayOverwrite(op, sum)) {
    sum = declarations.addTransient(op.getLoc(), op.getType(),
                                    plan::MemoryClass::Activations);
    plan::CopyOp::create(builder, op.getLoc(), *buffer, sum);
  }
  plan::AllReduceOp::create(builder, op.getLoc(), sum, op.getAxes(),
                            plan::Reduction::Sum, /*segment=*/nullptr);
  values.set(op.getResult(), sum);
  return success();
}

void CollectiveConversion::convert(dist::AllGatherOp op, OpBuilder &builder) {
  bool isDeclared = isPlacedLater(op);
  for (StateOp state : getStates(op.getSymbols())) {
    if (isDeclared) {
      symbolBuffers.getWhole(state);
      symbolBuffers.getPart(state);
      continue;
    }
    Value part = symbolBuffers.getPart(state);
    plan::AllGatherOp::create(builder, op.getLoc(), state.getSymNameAttr(),
                              part, symbolBuffers.getWhole(state),
                              getStateShard(state), state.getSegmentAttr());
  }
}

/// A kernel that adds its operand to its result, element by element, or stores
/// it where its second operand is false.
static void addAddingKernel(SymbolTable &symbols, RankedTensorType type) {
  if (findAddingKernel(cast<ModuleOp>(symbols.getOp()), type)) {
    return;
  }
  int64_t elements = type.getNumElements();
  std::string name = llvm::formatv("accumulate_{0}", elements); // for people
  MLIRContext *context = type.getContext();
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
  kernel->setAttr(kAddsReducedAttr, builder.getUnitAttr());
  kernel.setResultAttr(0, kAccumulateAttr, builder.getI64IntegerAttr(1));
  symbols.insert(kernel);
}

/// What a rank adds its part of a microbatch's sum to, by which kernel, and
/// whether the microbatch is the first.
LogicalResult
CollectiveConversion::declareAccumulation(dist::ReduceScatterOp op) {
  auto flag = symbols.lookup<StateOp>(kAccumulatingState);
  if (!flag) {
    return op.emitOpError("expected a state '")
           << kAccumulatingState << "', which StoreGradients adds, got none";
  }
  for (StateOp state : getStates(op.getSymbols())) {
    symbolBuffers.getWhole(state);
    addAddingKernel(symbols, cast<RankedTensorType>(state.getType()));
    symbolBuffers.getHeld(flag);
    symbolBuffers.getPart(state);
  }
  return success();
}

LogicalResult CollectiveConversion::convert(dist::ReduceScatterOp op,
                                            OpBuilder &builder) {
  if (isPlacedLater(op)) {
    return declareAccumulation(op);
  }
  for (StateOp state : getStates(op.getSymbols())) {
    plan::ShardAttr shard = getStateShard(state);
    Value whole = symbolBuffers.getWhole(state);
    // In place: the part's own memory is that of the sum.
    Value part = declarations.addPart(op.getLoc(), whole, shard);
    plan::ReduceScatterOp::create(builder, op.getLoc(), state.getSymNameAttr(),
                                  whole, part, shard, state.getSegmentAttr());
  }
  return success();
}
