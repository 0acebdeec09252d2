// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns tensor values into buffers and operations into instructions of the
// plan.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FunctionBuffers.h"
#include "passes/Fuse/Passes.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

MemRefType accel::getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  if (element.isInteger(1)) {
    element = IntegerType::get(type.getContext(), 8);
  }
  return MemRefType::get(tensor.getShape(), element);
}

FunctionBuffers::FunctionBuffers(ModuleOp module, func::FuncOp function)
    : module(module), symbols(module), function(function),
      top(OpBuilder::atBlockBegin(&function.getBody().front())) {
  // The operations that begin the block now will be gone: buffers are declared
  // before one that stays.
  anchor = plan::RepeatOp::create(top, function.getLoc());
  top.setInsertionPoint(anchor);
}

Value FunctionBuffers::declareTransient(Location loc, Type type,
                                        plan::MemoryClass klass,
                                        plan::Space space) {
  return plan::BufferOp::create(top, loc, getBufferType(type),
                                plan::Region::Transient, klass, StringAttr(),
                                ElementsAttr(), /*copies=*/1, space);
}

Value FunctionBuffers::viewOf(Value buffer, int64_t offset, MemRefType type,
                              Location loc) {
  if (offset == 0 && buffer.getType() == type) {
    return buffer;
  }
  SmallVector<Value> &known = views[{buffer, offset}];
  for (Value view : known) {
    if (view.getType() == type) {
      return view;
    }
  }
  Value view = plan::ViewOp::create(top, loc, type, buffer, offset);
  known.push_back(view);
  return view;
}

Value FunctionBuffers::parameterView(ParameterOp parameter, StringRef slot) {
  auto master = symbols.lookup<StateOp>(*parameter.getSegment());
  std::string name =
      master.getSymName().drop_back(StringRef("master").size()).str() +
      slot.str();
  auto state = symbols.lookup<StateOp>(name);
  return viewOf(wholeOf(state), *parameter.getOffset(),
                getBufferType(parameter.getType()), parameter.getLoc());
}

Value FunctionBuffers::symbolBuffer(StringRef name, Type type, bool gradient) {
  if (auto parameter = symbols.lookup<ParameterOp>(name)) {
    return parameterView(parameter, gradient ? "gradient" : "master");
  }
  // Slots that are cut are touched by their owners only.
  auto state = symbols.lookup<StateOp>(name);
  return getStateShard(state) ? partOf(state) : stateBuffer(name, type);
}

Value FunctionBuffers::inputBuffer(InputOp input) {
  Value &buffer = inputs[input.getNameAttr()];
  if (!buffer) {
    buffer = plan::BufferOp::create(
        top, input.getLoc(), getBufferType(input.getType()), plan::Region::IO,
        plan::MemoryClass::IO, input.getNameAttr(), ElementsAttr(),
        /*copies=*/2);
    // What the data must be like (target, range, ignored label) goes into the
    // plan's signature.
    buffer.getDefiningOp()->setDiscardableAttrs(
        input->getDiscardableAttrDictionary());
  }
  return buffer;
}

/// Where a result goes that outlives its readers: to the symbol it is written
/// to, or to the run. Null if it does not.
Value FunctionBuffers::storedPlaceOf(Value value) {
  for (Operation *user : value.getUsers()) {
    if (auto write = dyn_cast<WriteOp>(user)) {
      return symbolBuffer(write.getSymbol(), value.getType(),
                          /*gradient=*/false);
    }
    if (auto accumulate = dyn_cast<AccumulateOp>(user)) {
      return symbolBuffer(accumulate.getSymbol(), value.getType(),
                          /*gradient=*/true);
    }
  }
  for (Operation *user : value.getUsers()) {
    if (auto metric = dyn_cast<MetricOp>(user)) {
      // The run reads metrics after the step, when the arena is no longer this
      // step's.
      StringAttr symbol = top.getStringAttr("metric." + metric.getName());
      return plan::BufferOp::create(
          top, value.getLoc(), getBufferType(value.getType()),
          plan::Region::Persistent, plan::MemoryClass::Scalars, symbol);
    }
  }
  return {};
}

Value FunctionBuffers::destinationOf(Value value) {
  Value stored = storedPlaceOf(value);
  return stored ? stored
                : declareTransient(value.getLoc(), value.getType(),
                                   plan::MemoryClass::Activations);
}

/// The buffer of a value that was already produced, looking through contiguous
/// views.
Value FunctionBuffers::bufferOf(Value value) {
  if (Value known = buffers.lookup(value)) {
    return known;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    return buffers[value] = plan::BufferOp::create(
               top, value.getLoc(), getBufferType(value.getType()),
               plan::Region::Constant, plan::MemoryClass::Constants,
               StringAttr(), constant.getValue());
  }
  Value root =
      getViewRoot(value, [&](Value v) { return buffers.count(v) != 0; });
  int64_t offset = 0;
  bool isContiguous = root != value && isContiguousPart(value, root, offset);
  if (!isContiguous) {
    emitError(value.getLoc())
        << "expected a value that lies in one piece of memory, got " << value
        << ": the fusion planner is at fault; please report it with the model";
    isBroken = true;
    return buffers[value] = declareTransient(value.getLoc(), value.getType(),
                                             plan::MemoryClass::Activations);
  }
  Value buffer = bufferOf(root);
  return viewOf(buffer, offset, getBufferType(value.getType()), value.getLoc());
}

LogicalResult FunctionBuffers::convertCall(func::CallOp call,
                                           OpBuilder &builder) {
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  plan::ShardAttr shard = getShard(call);
  for (Value operand : call.getOperands()) {
    plan::ShardAttr other = parts.lookup(operand);
    if (other && !isSameCut(other, shard)) {
      return call.emitOpError("expected operands that are all cut by ")
             << shard << ", got one that is cut by " << other;
    }
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value v) { return bufferOf(v); });
  SmallVector<plan::Access> modes(operands.size(), plan::Access::Read);
  for (OpResult result : call->getResults()) {
    if (shard) {
      FailureOr<Value> part = shardedResult(call, result, shard, builder);
      if (failed(part)) {
        return failure();
      }
      operands.push_back(*part);
    } else {
      Value place = storedPlaceOf(result);
      place = place ? place : overwrittenBy(call, kernel, result, operands);
      place = place ? place
                    : declareTransient(result.getLoc(), result.getType(),
                                       plan::MemoryClass::Activations);
      buffers[result] = place;
      operands.push_back(place);
    }
    modes.push_back(isAccumulated(kernel, result.getResultNumber())
                        ? plan::Access::ReadWrite
                        : plan::Access::Write);
  }
  createLaunch(builder, call.getLoc(), kernel, operands, modes, shard);
  return success();
}

void FunctionBuffers::createLaunch(OpBuilder &builder, Location loc,
                                   func::FuncOp kernel, ValueRange operands,
                                   ArrayRef<plan::Access> modes,
                                   plan::ShardAttr shard) {
  auto attributes =
      llvm::map_to_vector(modes, [&](plan::Access mode) -> Attribute {
        return builder.getI32IntegerAttr(static_cast<int32_t>(mode));
      });
  plan::LaunchOp::create(
      builder, loc, FlatSymbolRefAttr::get(kernel.getSymNameAttr()), operands,
      /*workspace=*/Value(), builder.getArrayAttr(attributes), shard);
}

void FunctionBuffers::convertRead(ReadOp read) {
  buffers[read.getResult()] =
      symbolBuffer(read.getSymbol(), read.getType(), /*gradient=*/false);
  auto state = symbols.lookup<StateOp>(read.getSymbol());
  if (plan::ShardAttr shard =
          state ? getStateShard(state) : plan::ShardAttr()) {
    parts[read.getResult()] = shard;
  }
}

/// What a call or product has made lies there already; a flag is written
/// here, and zeros of blocks.
LogicalResult FunctionBuffers::convertWrite(WriteOp write, OpBuilder &builder) {
  auto constant = write.getValue().getDefiningOp<ConstantOp>();
  if (!constant) {
    return success();
  }
  if (isFill(write)) {
    plan::FillOp::create(builder, write.getLoc(),
                         symbolBuffer(write.getSymbol(), constant.getType(),
                                      /*gradient=*/false));
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat() || !dense.getElementType().isInteger(1)) {
    return write.emitOpError("expected a kernel to compute what is written, "
                             "got a constant");
  }
  auto place = symbolBuffer(write.getSymbol(), constant.getType(),
                            /*gradient=*/false);
  plan::FillOp::create(builder, write.getLoc(), place,
                       dense.getSplatValue<bool>());
  return success();
}

LogicalResult FunctionBuffers::convert(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp read) {
        convertRead(read);
        return success();
      })
      .Case([&](GradientOp gradient) {
        buffers[gradient.getResult()] = symbolBuffer(
            gradient.getSymbol(), gradient.getType(), /*gradient=*/true);
        return success();
      })
      .Case([&](InputOp input) {
        buffers[input.getResult()] = inputBuffer(input);
        return success();
      })
      .Case([&](func::CallOp call) { return convertCall(call, builder); })
      .Case([&](dist::AllReduceOp reduce) {
        convertAllReduce(reduce, builder);
        return success();
      })
      .Case([&](dist::AllGatherOp gather) {
        convertAllGather(gather, builder);
        return success();
      })
      .Case([&](dist::ReduceScatterOp reduce) {
        return convertReduceScatter(reduce, builder);
      })
      .Case([&](MetricOp metric) {
        plan::MetricOp::create(builder, metric.getLoc(), metric.getNameAttr(),
                               bufferOf(metric.getValue()));
        return success();
      })
      .Case([&](RepeatOp repeat) {
        loop = plan::RepeatOp::create(builder, repeat.getLoc());
        loop.getBody().takeBody(repeat.getBody());
        return runBlock(loop.getBody().front());
      })
      .Case([&](WriteOp write) { return convertWrite(write, builder); })
      .Case<AccumulateOp, ConstantOp, IotaOp>([](auto) { return success(); })
      .Default([](Operation *other) {
        return isViewOp(other)
                   ? success()
                   : other->emitOpError(
                         "has no instruction; it should be part of a kernel");
      });
}

LogicalResult FunctionBuffers::runBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<func::ReturnOp>(op) || isa<plan::PlanDialect>(op.getDialect())) {
      continue;
    }
    OpBuilder builder(&op);
    if (failed(convert(&op, builder))) {
      return failure();
    }
    if (!isPlacedLater(&op)) {
      converted.push_back(&op);
    }
  }
  return success();
}

/// The first microbatch is fetched before the loop, every other one while its
/// predecessor is computed.
void FunctionBuffers::insertFetches() {
  if (inputs.empty()) {
    return;
  }
  SmallVector<Attribute> names;
  SmallVector<Value> targets;
  for (auto &[name, buffer] : inputs) {
    names.push_back(name);
    targets.push_back(buffer);
  }
  Location loc = function.getLoc();
  ArrayAttr list = top.getArrayAttr(names);
  plan::FetchOp::create(top, loc, list, targets, 0);
  if (loop) {
    OpBuilder body = OpBuilder::atBlockBegin(&loop.getBody().front());
    plan::FetchOp::create(body, loc, list, targets, 1);
  }
}

/// Weights that came with the model are loaded by `init`.
void FunctionBuffers::insertLoads() {
  OpBuilder builder(function.getBody().front().getTerminator());
  for (auto parameter : module.getOps<ParameterOp>()) {
    DictionaryAttr initial = parameter.getInitial().value_or(DictionaryAttr());
    auto kind = initial ? initial.getAs<StringAttr>("kind") : StringAttr();
    if (kind && kind.getValue() == "file") {
      auto master = symbols.lookup<StateOp>(*parameter.getSegment());
      bool isPart = dist::getHolding(master) == dist::Holding::Part;
      Value target =
          isPart ? partOf(master) : parameterView(parameter, "master");
      IntegerAttr offset, elements;
      if (isPart) {
        offset = parameter.getOffsetAttr();
        elements = builder.getI64IntegerAttr(
            cast<RankedTensorType>(parameter.getType()).getNumElements());
      }
      plan::LoadOp::create(builder, parameter.getLoc(),
                           initial.getAs<StringAttr>("key"), target, offset,
                           elements);
    }
  }
}

LogicalResult FunctionBuffers::run() {
  if (failed(runBlock(function.getBody().front())) || isBroken) {
    return failure();
  }
  for (Operation *op : converted) {
    op->dropAllReferences();
  }
  for (Operation *op : converted) {
    op->erase();
  }
  insertFetches();
  clearGradients();
  if (getRole(function) == FunctionRole::Initialize) {
    clearGaps();
    storeInitialParts();
    insertLoads();
  }
  anchor->erase();
  return success();
}

namespace {

class AssignBuffersPass
    : public accel::impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : getProgram(module)) {
      if (failed(FunctionBuffers(module, function).run())) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
