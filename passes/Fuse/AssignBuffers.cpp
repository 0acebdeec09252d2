// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns tensor values into buffers and operations into instructions of the
// plan.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/Buffers/CallConversion.h"
#include "passes/Fuse/Buffers/CollectiveConversion.h"
#include "passes/Fuse/Buffers/GradientClearing.h"
#include "passes/Fuse/Buffers/InitialStates.h"
#include "passes/Fuse/Passes.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Rewrites one function.
/// Borrows: the symbols and the function.
class FunctionConversion {
public:
  FunctionConversion(SymbolTable &symbols, func::FuncOp function)
      : symbols(symbols), function(function),
        isInitialize(getRole(function) == FunctionRole::Initialize),
        declarations(function),
        symbolBuffers(symbols, isInitialize, declarations),
        values(declarations),
        calls(symbols, declarations, symbolBuffers, values),
        collectives(symbols, declarations, symbolBuffers, values) {}

  LogicalResult run();

private:
  LogicalResult convertBlock(Block &block);
  LogicalResult convert(Operation *op, OpBuilder &builder);
  void convertRead(ReadOp read);
  LogicalResult convertWrite(WriteOp write, OpBuilder &builder);
  LogicalResult convertMetric(MetricOp metric, OpBuilder &builder);
  LogicalResult convertRepeat(RepeatOp repeat, OpBuilder &builder);
  void insertFetches();
  void eraseConverted();

  SymbolTable &symbols;
  func::FuncOp function;
  bool isInitialize;
  BufferDeclarations declarations;
  SymbolBuffers symbolBuffers;
  ValueBuffers values;
  CallConversion calls;
  CollectiveConversion collectives;
  plan::RepeatOp loop;
  SmallVector<Operation *> converted;
};

} // namespace

void FunctionConversion::convertRead(ReadOp read) {
  auto state = symbols.lookup<StateOp>(read.getSymbol());
  auto parameter = symbols.lookup<ParameterOp>(read.getSymbol());
  SlotRole role =
      parameter ? parameter.getSlotRole(read.getType()) : SlotRole::Master;
  values.set(read.getResult(), symbolBuffers.getValue(read.getSymbol(), role),
             state ? getStateShard(state) : plan::ShardAttr());
}

/// What a call has made lies there already; a flag is written here, and zeros
/// of blocks.
LogicalResult FunctionConversion::convertWrite(WriteOp write,
                                               OpBuilder &builder) {
  auto constant = write.getValue().getDefiningOp<ConstantOp>();
  if (!constant) {
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  bool isFlag = dense && dense.isSplat() && dense.getElementType().isInteger(1);
  if (!isFlag && !isFill(write)) {
    return write.emitOpError("expected a kernel to compute what is written, "
                             "got a constant");
  }
  plan::FillOp::create(builder, write.getLoc(),
                       symbolBuffers.getValue(write.getSymbol()),
                       isFlag && dense.getSplatValue<bool>());
  return success();
}

LogicalResult FunctionConversion::convertMetric(MetricOp metric,
                                                OpBuilder &builder) {
  FailureOr<Value> buffer = values.get(metric.getValue());
  if (failed(buffer)) {
    return failure();
  }
  plan::MetricOp::create(builder, metric.getLoc(), metric.getNameAttr(),
                         *buffer);
  return success();
}

LogicalResult FunctionConversion::convertRepeat(RepeatOp repeat,
                                                OpBuilder &builder) {
  loop = plan::RepeatOp::create(builder, repeat.getLoc());
  loop.getBody().takeBody(repeat.getBody());
  return convertBlock(loop.getBody().front());
}

LogicalResult FunctionConversion::convert(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp read) {
        convertRead(read);
        return success();
      })
      .Case([&](GradientOp gradient) {
        values.set(gradient.getResult(),
                   symbolBuffers.getGradient(gradient.getSymbol()));
        return success();
      })
      .Case([&](InputOp input) {
        values.set(input.getResult(), symbolBuffers.getInput(input));
        return success();
      })
      .Case([&](func::CallOp call) { return calls.convert(call, builder); })
      .Case<dist::AllReduceOp, dist::AllGatherOp>([&](auto collective) {
        collectives.convert(collective, builder);
        return success();
      })
      .Case<dist::AllReduceValueOp, dist::ReduceScatterOp>(
          [&](auto reduce) { return collectives.convert(reduce, builder); })
      .Case([&](MetricOp metric) { return convertMetric(metric, builder); })
      .Case([&](RepeatOp repeat) { return convertRepeat(repeat, builder); })
      .Case([&](WriteOp write) { return convertWrite(write, builder); })
      .Case<AccumulateOp, ConstantOp, IotaOp>([](auto) { return success(); })
      .Default([](Operation *other) {
        return isViewOp(other)
                   ? success()
                   : other->emitOpError(
                         "has no instruction; it should be part of a kernel");
      });
}

LogicalResult FunctionConversion::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<func::ReturnOp>(op) || isa<plan::PlanDialect>(op.getDialect())) {
      continue;
    }
    OpBuilder builder(&op);
    if (failed(convert(&op, builder))) {
      return failure();
    }
    if (!CollectiveConversion::isPlacedLater(&op)) {
      converted.push_back(&op);
    }
  }
  return success();
}

/// The first microbatch is fetched before the loop, every other one while its
/// predecessor is computed.
void FunctionConversion::insertFetches() {
  const SymbolBuffers::Inputs &inputs = symbolBuffers.getInputs();
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
  OpBuilder &top = declarations.getBuilder();
  ArrayAttr list = top.getArrayAttr(names);
  plan::FetchOp::create(top, loc, list, targets, 0);
  if (loop) {
    OpBuilder body = OpBuilder::atBlockBegin(&loop.getBody().front());
    plan::FetchOp::create(body, loc, list, targets, 1);
  }
}

void FunctionConversion::eraseConverted() {
  for (Operation *op : converted) {
    op->dropAllReferences();
  }
  for (Operation *op : converted) {
    op->erase();
  }
}

LogicalResult FunctionConversion::run() {
  if (failed(convertBlock(function.getBody().front()))) {
    return failure();
  }
  eraseConverted();
  insertFetches();
  if (loop) {
    clearGradients(loop, symbolBuffers);
  }
  if (isInitialize) {
    clearGradientGaps(function, symbolBuffers, declarations);
    storeInitialParts(function, symbolBuffers, declarations);
    loadWeights(function, symbolBuffers);
  }
  return success();
}

namespace {

class AssignBuffersPass
    : public accel::impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : getProgram(getOperation())) {
      if (failed(FunctionConversion(symbols, function).run())) {
        return signalPassFailure();
      }
    }
    declareOthers(symbols);
  }

  /// Declares the buffers of states that no function uses, because the host
  /// sets or reads them: in `initialize`, or in the first function there is.
  void declareOthers(SymbolTable &symbols) {
    SmallVector<func::FuncOp> program = getProgram(getOperation());
    if (program.empty()) {
      return;
    }
    llvm::DenseSet<StringAttr> declared;
    for (func::FuncOp function : program) {
      for (auto buffer : function.getOps<plan::BufferOp>()) {
        if (buffer.getRegion() == plan::Region::Persistent) {
          declared.insert(buffer.getSymbolAttr());
        }
      }
    }
    func::FuncOp function =
        findFunction(getOperation(), FunctionRole::Initialize);
    BufferDeclarations declarations(function ? function : program.front());
    SymbolBuffers buffers(symbols, /*initializes=*/true, declarations);
    for (auto state : getOperation().getOps<StateOp>()) {
      // What has no elements lies nowhere.
      bool isEmpty =
          cast<RankedTensorType>(state.getType()).getNumElements() == 0;
      if (!isEmpty && !declared.contains(state.getSymNameAttr())) {
        buffers.getHeld(state);
      }
    }
  }
};

} // namespace
