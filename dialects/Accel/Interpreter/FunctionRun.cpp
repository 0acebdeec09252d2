// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of one function by the interpreter.
#include "dialects/Accel/Interpreter/FunctionRun.h"

#include "dialects/Accel/Interpreter/Evaluate.h"
#include "dialects/Accel/Interpreter/OptimizerStep.h"
#include "dialects/Dist/IR/DistOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {
namespace {

constexpr int kMaxDepth = 64;

/// For every operation of `block` the values defined there that nothing needs
/// afterwards.
llvm::DenseMap<Operation *, llvm::SmallVector<Value>>
findLastUses(Block &block) {
  llvm::DenseMap<Operation *, llvm::SmallVector<Value>> lastUses;
  auto add = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      last = !last || last->isBeforeInBlock(ancestor) ? ancestor : last;
    }
    if (last) {
      lastUses[last].push_back(value);
    }
  };
  llvm::for_each(block.getArguments(), add);
  for (Operation &op : block) {
    llvm::for_each(op.getResults(), add);
  }
  return lastUses;
}

LogicalResult checkArguments(func::FuncOp function,
                             ArrayRef<HostTensor> arguments) {
  if (function.isExternal()) {
    return function.emitOpError() << "cannot be run: it has no body";
  }
  if (arguments.size() != function.getNumArguments()) {
    return function.emitOpError()
           << "cannot be run: expected " << function.getNumArguments()
           << " arguments, got " << arguments.size();
  }
  for (auto [index, type, argument] :
       llvm::enumerate(function.getArgumentTypes(), arguments)) {
    if (!argument || argument.getType() != type) {
      InFlightDiagnostic error = function.emitOpError();
      error << "cannot be run: expected argument #" << index << " of type "
            << type << ", got ";
      return argument ? error << argument.getType() : error << "none";
    }
  }
  return success();
}

/// The declaration that `symbol` names, if its type is that of the value the
/// operation reads or writes.
FailureOr<Operation *> getDeclaration(const ProgramState &state, Operation *op,
                                      StringRef symbol, Type type) {
  Operation *declaration = state.lookup(symbol);
  if (!declaration) {
    return op->emitOpError() << "expected @" << symbol
                             << " to be a parameter or state of the module";
  }
  auto parameter = dyn_cast<ParameterOp>(declaration);
  bool isCompute = isa<ReadOp>(op) && parameter &&
                   parameter.getSlotRole(type) == SlotRole::Compute;
  if (ProgramState::getDeclaredType(declaration) != type && !isCompute) {
    return op->emitOpError()
           << "expected the type of @" << symbol << ", "
           << ProgramState::getDeclaredType(declaration) << ", got " << type;
  }
  return declaration;
}

} // namespace

FailureOr<llvm::SmallVector<HostTensor>>
FunctionRun::run(func::FuncOp function, ArrayRef<HostTensor> arguments) {
  if (failed(checkArguments(function, arguments))) {
    return failure();
  }
  if (!llvm::hasSingleElement(function.getBody())) {
    return function.emitOpError()
           << "cannot be run: expected a single block, got "
           << function.getBlocks().size();
  }
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), arguments)) {
    values[argument] = value;
  }
  if (failed(runBlock(function.front()))) {
    return failure();
  }
  return std::move(returned);
}

LogicalResult FunctionRun::runBlock(Block &block) {
  auto lastUses = findLastUses(block);
  for (Operation &op : block) {
    if (failed(runOperation(&op))) {
      return failure();
    }
    for (Value value : lastUses.lookup(&op)) {
      values.erase(value);
    }
  }
  return success();
}

LogicalResult FunctionRun::runOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp read) { return runRead(read, read.getSymbol()); })
      .Case([&](GradientOp gradient) {
        return runRead(gradient, gradient.getSymbol());
      })
      .Case([&](WriteOp write) { return runWrite(write); })
      .Case([&](AccumulateOp accumulate) { return runAccumulate(accumulate); })
      .Case([&](InputOp input) { return runInput(input); })
      .Case([&](RepeatOp repeat) { return runRepeat(repeat); })
      .Case([&](func::CallOp call) { return runCall(call); })
      .Case([&](MetricOp metric) {
        interpreter.metrics.push_back(
            {metric.getName().str(),
             values.lookup(metric.getValue()).getAsDouble(0)});
        return success();
      })
      .Case([&](UpdateOp update) {
        return runOptimizerStep(update,
                                values.lookup(update.getScale()).getAsDouble(0),
                                interpreter.state, interpreter.metrics);
      })
      // The interpreter is the only rank: the sum is what is there.
      .Case<dist::AllReduceOp, dist::ReduceScatterOp, dist::AllGatherOp>(
          [](auto) { return success(); })
      .Case<SumOverRanksOp, dist::AllReduceValueOp>([&](auto sum) {
        setResult(sum.getResult(), values.lookup(sum.getOperand()));
        return success();
      })
      .Case([&](func::ReturnOp) {
        returned = getValues(op->getOperands());
        return success();
      })
      .Default([&](Operation *) { return runPure(op); });
}

LogicalResult FunctionRun::runPure(Operation *op) {
  FailureOr<llvm::SmallVector<HostTensor>> results = evaluate(
      op, getValues(op->getOperands()), interpreter.options.maxElements);
  if (failed(results)) {
    return failure();
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results)) {
    setResult(result, value);
  }
  return success();
}

LogicalResult FunctionRun::runRead(Operation *op, StringRef symbol) {
  FailureOr<Operation *> declaration =
      getDeclaration(interpreter.state, op, symbol, op->getResult(0).getType());
  if (failed(declaration)) {
    return failure();
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  HostTensor value = isa<ReadOp>(op) ? interpreter.state.readAs(symbol, type)
                                     : interpreter.state.getGradient(symbol);
  if (!value) {
    InFlightDiagnostic error = op->emitOpError();
    error << "cannot be run: @" << symbol
          << (isa<ReadOp>(op) ? " has no value; set one before the run"
                              : " has no gradient");
    error.attachNote((*declaration)->getLoc()) << "declared here";
    return error;
  }
  setResult(op->getResult(0), value);
  return success();
}

LogicalResult FunctionRun::runWrite(WriteOp op) {
  if (failed(getDeclaration(interpreter.state, op, op.getSymbol(),
                            op.getValue().getType()))) {
    return failure();
  }
  return interpreter.state.write(op.getSymbol(), values.lookup(op.getValue()));
}

LogicalResult FunctionRun::runAccumulate(AccumulateOp op) {
  FailureOr<Operation *> declaration = getDeclaration(
      interpreter.state, op, op.getSymbol(), op.getValue().getType());
  if (failed(declaration)) {
    return failure();
  }
  auto parameter = dyn_cast<ParameterOp>(*declaration);
  HostTensor present = parameter ? interpreter.state.getGradient(op.getSymbol())
                                 : interpreter.state.read(op.getSymbol());
  if (!present) {
    return op.emitOpError()
           << "cannot be run: @" << op.getSymbol() << " has no gradient";
  }
  interpreter.state.accumulate(*declaration, values.lookup(op.getValue()));
  return success();
}

LogicalResult FunctionRun::runInput(InputOp op) {
  RankedTensorType type = op.getType();
  if (!fitsHost(type, interpreter.options.maxElements)) {
    return op.emitOpError()
           << "cannot be run: expected a static shape of at most "
           << interpreter.options.maxElements << " elements, got " << type;
  }
  HostTensor value = interpreter.getInput(op.getName(), microbatch, type);
  if (!value || value.getType() != type) {
    InFlightDiagnostic error = op.emitOpError();
    error << "cannot be run: expected input '" << op.getName() << "' of type "
          << type << " for microbatch " << microbatch << ", got ";
    return value ? error << value.getType() : error << "none";
  }
  setResult(op.getResult(), value);
  return success();
}

LogicalResult FunctionRun::runRepeat(RepeatOp op) {
  int64_t outer = microbatch;
  for (microbatch = 0; microbatch < interpreter.options.microbatches;
       ++microbatch) {
    if (failed(runBlock(op.getBody().front()))) {
      return failure();
    }
  }
  microbatch = outer;
  return success();
}

LogicalResult FunctionRun::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || depth >= kMaxDepth) {
    return op.emitOpError()
           << "cannot be run: "
           << (callee ? "calls are nested too deeply"
                      : "expected the callee to be a function");
  }
  FailureOr<llvm::SmallVector<HostTensor>> results =
      FunctionRun(interpreter, microbatch, depth + 1)
          .run(callee, getValues(op.getOperands()));
  if (failed(results)) {
    return failure();
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results)) {
    setResult(result, value);
  }
  return success();
}

llvm::SmallVector<HostTensor>
FunctionRun::getValues(ValueRange operands) const {
  return llvm::map_to_vector(
      operands, [&](Value operand) { return values.lookup(operand); });
}

void FunctionRun::setResult(Value result, const HostTensor &value) {
  if (!result.use_empty()) {
    values[result] = interpreter.options.roundResults ? value.rounded() : value;
  }
}

} // namespace accel
