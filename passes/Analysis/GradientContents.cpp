// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the bytes of gradients through a step.
#include "passes/Analysis/GradientContents.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/KernelShape.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace accel;

namespace {

/// Disjoint ranges of bytes, neighbours joined.
class ByteRanges {
public:
  bool contains(int64_t begin, int64_t end) const {
    auto next = ends.upper_bound(begin);
    return begin == end ||
           (next != ends.begin() && std::prev(next)->second >= end);
  }
  bool overlaps(int64_t begin, int64_t end) const {
    auto next = ends.lower_bound(end);
    return begin != end && next != ends.begin() &&
           std::prev(next)->second > begin;
  }
  void insert(int64_t begin, int64_t end) {
    auto next = ends.upper_bound(begin);
    if (next != ends.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != ends.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ends.erase(next);
    }
    ends[begin] = end;
  }

private:
  std::map<int64_t, int64_t> ends; ///< by where a range begins
};

class GradientWalk {
public:
  explicit GradientWalk(SymbolTable &symbols) : symbols(symbols) {}

  /// Takes in what `init` clears.
  void visitInit(plan::FillOp fill);
  LogicalResult visit(plan::InstructionOpInterface op);
  void enterLoop();
  LogicalResult leaveLoop(plan::RepeatOp loop);

private:
  /// Whether `operand` is a result that is added only where the flag is true.
  bool beginsWithStep(plan::LaunchOp launch, unsigned operand);
  void followFlag(plan::InstructionOpInterface op,
                  const plan::BufferAccess &access);
  LogicalResult follow(plan::InstructionOpInterface op, unsigned operand,
                       const plan::BufferAccess &access);

  SymbolTable &symbols;
  llvm::DenseMap<Operation *, ByteRanges> written;
  llvm::StringMap<ByteRanges> cleared; ///< by `init`, by symbol
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
  auto flag =
      plan::getBufferRange(launch.getBuffers()[keep.getArgNumber()]).buffer;
  return flag.getSymbol() == kAccumulatingState;
}

void GradientWalk::visitInit(plan::FillOp fill) {
  plan::BufferRange range = plan::getBufferRange(fill.getBuffer());
  if (range.buffer.getKlass() == "gradients" && range.buffer.getSymbol()) {
    cleared[*range.buffer.getSymbol()].insert(range.begin,
                                              range.begin + range.bytes);
  }
}

void GradientWalk::followFlag(plan::InstructionOpInterface op,
                              const plan::BufferAccess &access) {
  if (access.access != plan::Access::Read) {
    auto fill = dyn_cast<plan::FillOp>(*op);
    isFlagFalse = !isInLoop && fill && !fill.getTruth();
  }
}

LogicalResult GradientWalk::follow(plan::InstructionOpInterface op,
                                   unsigned operand,
                                   const plan::BufferAccess &access) {
  plan::BufferRange range = plan::getBufferRange(access.buffer);
  ByteRanges once = cleared.lookup(range.buffer.getSymbol().value_or(""));
  ByteRanges &ranges = written.try_emplace(range.buffer, once).first->second;
  int64_t begin = range.begin, end = range.begin + range.bytes;
  bool begins = access.access == plan::Access::Write;
  StringRef problem;
  if (access.access != plan::Access::Read && isa<plan::LaunchOp>(*op) &&
      once.overlaps(begin, end)) {
    problem = "writes what init has cleared once";
  } else if (beginsWithStep(dyn_cast<plan::LaunchOp>(*op), operand)) {
    begins = isFlagUsed = true;
    problem = !isInLoop || !isFlagFalse
                  ? "stores a gradient where the flag may already be true"
              : ranges.overlaps(begin, end)
                  ? "stores over a gradient that something was added to"
                  : "";
  } else if (begins) {
    bool isKept = range.buffer.getRegion() != plan::Region::Transient;
    problem = isInLoop && isKept
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
    if (buffer.getSymbol() == kAccumulatingState) {
      followFlag(op, access);
    } else if (buffer.getKlass() == "gradients" &&
               failed(follow(op, operand, access))) {
      return failure();
    }
  }
  return success();
}

void GradientWalk::enterLoop() {
  isInLoop = true;
  for (auto &[buffer, ranges] : written) {
    if (cast<plan::BufferOp>(buffer).getRegion() == plan::Region::Transient) {
      ranges = ByteRanges();
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

LogicalResult accel::verifyGradientContents(func::FuncOp init,
                                            func::FuncOp step,
                                            SymbolTable &symbols) {
  GradientWalk walk(symbols);
  if (init) {
    init.walk([&](plan::FillOp fill) { walk.visitInit(fill); });
  }
  for (Operation &op : step.getBody().front()) {
    auto loop = dyn_cast<plan::RepeatOp>(op);
    if (loop) {
      walk.enterLoop();
      for (Operation &inner : loop.getBody().front()) {
        auto instruction = dyn_cast<plan::InstructionOpInterface>(inner);
        if (instruction && failed(walk.visit(instruction))) {
          return failure();
        }
      }
      if (failed(walk.leaveLoop(loop))) {
        return failure();
      }
      continue;
    }
    auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
    if (instruction && failed(walk.visit(instruction))) {
      return failure();
    }
  }
  return success();
}
