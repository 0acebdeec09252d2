// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the bytes of gradients through a step.
#include "passes/Analysis/GradientContents.h"

#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientAccumulation.h"
#include "passes/Analysis/IndexRanges.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace accel;

namespace {

class GradientWalk {
public:
  explicit GradientWalk(SymbolTable &symbols) : symbols(symbols) {}

  /// Takes in what `init` clears.
  void visitInit(plan::FillOp fill);
  LogicalResult visit(Block &block);

private:
  /// What of a buffer holds contributions or zeros before the function runs, or
  /// before a microbatch does.
  IndexRanges atBeginning(plan::BufferOp buffer);
  void enterLoop();
  LogicalResult leaveLoop(plan::RepeatOp loop);
  LogicalResult visit(plan::InstructionOpInterface op);
  /// Whether `operand` is a result that is added only where the flag is true.
  bool beginsWithStep(plan::LaunchOp launch, unsigned operand);
  void followFlag(plan::InstructionOpInterface op,
                  const plan::BufferAccess &access);
  LogicalResult follow(plan::InstructionOpInterface op, unsigned operand,
                       const plan::BufferAccess &access);

  SymbolTable &symbols;
  llvm::DenseMap<Operation *, IndexRanges> written;
  llvm::StringMap<IndexRanges> cleared; ///< by `init`, by symbol
  llvm::StringSet<> reduced; ///< symbols that the loop's reductions name
  bool isInLoop = false;
  /// Whether the flag is known to be false in the first microbatch.
  bool isFlagFalse = false;
  bool isFlagUsed = false;
};

} // namespace

bool GradientWalk::beginsWithStep(plan::LaunchOp launch, unsigned operand) {
  auto kernel = launch ? symbols.lookup<func::FuncOp>(launch.getKernel())
                       : func::FuncOp();
  if (!kernel || operand < kernel.getNumArguments()) {
    return false;
  }
  BlockArgument keep =
      getKeepArgument(kernel, operand - kernel.getNumArguments());
  if (!keep) {
    return false;
  }
  return isAccumulatingFlag(launch.getBuffers()[keep.getArgNumber()]);
}

static int64_t getBytes(plan::BufferOp buffer) {
  return plan::getMemRefBytes(cast<MemRefType>(buffer.getResult().getType()));
}

void GradientWalk::visitInit(plan::FillOp fill) {
  plan::BufferRange range = plan::getBufferRange(fill.getBuffer());
  if (range.buffer.getKlass() == plan::MemoryClass::Gradients &&
      range.buffer.getSymbol()) {
    cleared[*range.buffer.getSymbol()].insert(range.begin,
                                              range.begin + range.bytes);
  }
}

void GradientWalk::followFlag(plan::InstructionOpInterface op,
                              const plan::BufferAccess &access) {
  if (access.access != plan::Access::Read) {
    auto fill = dyn_cast<plan::FillOp>(*op);
    isFlagFalse = !isInLoop && fill && !fill.getIsTrue();
  }
}

LogicalResult GradientWalk::follow(plan::InstructionOpInterface op,
                                   unsigned operand,
                                   const plan::BufferAccess &access) {
  plan::BufferRange range = plan::getBufferRange(access.buffer);
  IndexRanges once = atBeginning(range.buffer);
  IndexRanges &ranges = written.try_emplace(range.buffer, once).first->second;
  bool isTransient = range.buffer.getRegion() == plan::Region::Transient;
  if (!isTransient && reduced.contains(range.buffer.getSymbol().value_or(""))) {
    ranges.insert(0, getBytes(range.buffer));
  }
  int64_t begin = range.begin, end = range.begin + range.bytes;
  bool begins = access.access == plan::Access::Write;
  StringRef problem;
  if (!isTransient && access.access != plan::Access::Read &&
      isa<plan::LaunchOp>(*op) && once.overlaps(begin, end)) {
    problem = "writes what init has cleared once";
  } else if (beginsWithStep(dyn_cast<plan::LaunchOp>(*op), operand)) {
    begins = isFlagUsed = true;
    problem = !isInLoop || !isFlagFalse
                  ? "stores a gradient where the flag may already be true"
              : ranges.overlaps(begin, end)
                  ? "stores over a gradient that something was added to"
                  : "";
  } else if (begins) {
    problem = isInLoop && !isTransient
                  ? "stores over the gradient of earlier microbatches"
                  : "";
  } else if (!ranges.contains(begin, end)) {
    problem = "reads a gradient that nothing has written in this step";
  }
  if (!problem.empty()) {
    InFlightDiagnostic error = op->emitOpError(problem);
    error.attachNote(range.buffer.getLoc()) << "the buffer";
    return error;
  }
  if (begins) {
    ranges.insert(begin, end);
  }
  return success();
}

LogicalResult GradientWalk::visit(plan::InstructionOpInterface op) {
  for (auto [operand, access] : llvm::enumerate(op.getAccesses())) {
    auto buffer = plan::getBufferRange(access.buffer).buffer;
    if (isAccumulatingFlag(access.buffer)) {
      followFlag(op, access);
    } else if (buffer.getKlass() == plan::MemoryClass::Gradients &&
               failed(follow(op, operand, access))) {
      return failure();
    }
  }
  return success();
}

/// All of a segment's gradient that the loop's end reduces begins at zero in
/// each microbatch.
IndexRanges GradientWalk::atBeginning(plan::BufferOp buffer) {
  if (buffer.getRegion() != plan::Region::Transient) {
    return cleared[buffer.getSymbol().value_or("")];
  }
  IndexRanges zero;
  if (buffer.getSymbol()) {
    zero.insert(0, getBytes(buffer));
  }
  return zero;
}

void GradientWalk::enterLoop() {
  isInLoop = true;
  for (auto &[op, ranges] : written) {
    auto buffer = cast<plan::BufferOp>(op);
    if (buffer.getRegion() == plan::Region::Transient) {
      ranges = atBeginning(buffer);
    }
  }
}

LogicalResult GradientWalk::leaveLoop(plan::RepeatOp loop) {
  isInLoop = false;
  if (isFlagUsed && isFlagFalse) {
    return loop.emitOpError("stores gradients in every microbatch: the flag "
                            "stays false");
  }
  return success();
}

LogicalResult GradientWalk::visit(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<plan::RepeatOp>(op)) {
      enterLoop();
      if (failed(visit(loop.getBody().front())) || failed(leaveLoop(loop))) {
        return failure();
      }
    } else if (auto reduce = dyn_cast<dist::ReduceScatterOp>(op)) {
      // Each rank adds its part to what it holds, or begins with it.
      for (auto name : reduce.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
        reduced.insert(name.getValue());
      }
    } else if (auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
               instruction && failed(visit(instruction))) {
      return failure();
    }
  }
  return success();
}

LogicalResult accel::verifyGradientContents(SymbolTable &symbols) {
  auto module = cast<ModuleOp>(symbols.getOp());
  auto step = findFunction(module, FunctionRole::Step);
  if (!step) {
    return success();
  }
  GradientWalk walk(symbols);
  if (auto init = findFunction(module, FunctionRole::Initialize)) {
    init.walk([&](plan::FillOp fill) { walk.visitInit(fill); });
  }
  return walk.visit(step.getBody().front());
}
