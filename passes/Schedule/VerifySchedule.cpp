// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that any two conflicting accesses of a plan are ordered by streams and
// events.
#include "dialects/Dist/IR/DistOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Analysis/LaunchCheck.h"
#include "passes/Analysis/MemoryReplay.h"
#include "passes/Schedule/BufferContents.h"
#include "passes/Schedule/CostCheck.h"
#include "passes/Schedule/GatherCheck.h"
#include "passes/Schedule/InfinityCheck.h"
#include "passes/Schedule/LayerCheck.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/PhaseCheck.h"
#include "passes/Schedule/SegmentCheck.h"
#include "passes/Schedule/StreamCheck.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Tells the buffers of a function apart, and the copies of each.
class BufferCopies {
public:
  explicit BufferCopies(func::FuncOp function) {
    function.walk([&](plan::BufferOp buffer) {
      firstCopy[buffer] = count;
      count += buffer.getCopies();
    });
  }

  ReplayedBytes locate(const UnrolledFunction::Execution &execution,
                       const plan::BufferAccess &access) const {
    plan::BufferRange range = plan::getBufferRange(access.buffer);
    plan::BufferOp buffer = range.buffer;
    uint64_t copies = buffer.getCopies();
    uint64_t rotation = execution.getInstruction().getRotation();
    uint64_t copy = copies > 1 ? (execution.iteration + rotation) % copies : 0;
    uint64_t memory = firstCopy.lookup(buffer) + copy;
    // A gather of a bucket must not begin while any part of the one before it
    // in the same memory is in use, or parts of three would be there.
    if (buffer.getKlass() == plan::MemoryClass::Gathered) {
      auto all = cast<MemRefType>(buffer.getResult().getType());
      return {memory, 0, plan::getMemRefBytes(all)};
    }
    return {memory, range.begin, range.begin + range.bytes};
  }

private:
  llvm::DenseMap<Operation *, uint64_t> firstCopy;
  uint64_t count = 0;
};

class VerifySchedulePass
    : public accel::impl::VerifySchedulePassBase<VerifySchedulePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    if (failed(checkStreams(getOperation()))) {
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(verifyPlaced(function)) ||
          failed(verifyLaunches(function, symbols)) ||
          failed(verify(function)) || failed(checkPhases(function)) ||
          failed(checkSegments(function)) || failed(checkCosts(function)) ||
          failed(checkLayers(function)) || failed(checkGathers(function)) ||
          failed(checkInfinities(function))) {
        return signalPassFailure();
      }
    }
    if (failed(verifyGradientContents(symbols))) {
      signalPassFailure();
    }
  }

  /// What ranks exchange is instructions now.
  static LogicalResult verifyPlaced(func::FuncOp function) {
    WalkResult placed = function.walk([](Operation *op) -> WalkResult {
      return isa<dist::DistDialect>(op->getDialect())
                 ? op->emitOpError("is not placed: expected instructions of "
                                   "the plan that do it")
                 : success();
    });
    return failure(placed.wasInterrupted());
  }

  /// PlaceReductions has added launches, and given others another kernel.
  static LogicalResult verifyLaunches(func::FuncOp function,
                                      const SymbolTable &symbols) {
    WalkResult checked =
        function.walk([&](plan::LaunchOp launch) -> WalkResult {
          return checkLaunch(launch, symbols);
        });
    return failure(checked.wasInterrupted());
  }

  static LogicalResult verify(func::FuncOp function) {
    if (std::optional<WrongContents> wrong = findWrongContents(function)) {
      InFlightDiagnostic error = wrong->reader->emitOpError(
          "reads a buffer that does not hold these parameters here");
      error.attachNote(wrong->wanted.getLoc())
          << "the parameters: " << wrong->wanted;
      return error;
    }
    // Fewer iterations have ends that more of them do not have.
    unsigned most = UnrolledFunction::countIterations(function);
    for (unsigned iterations = 1; iterations <= most; ++iterations) {
      UnrolledFunction unrolled(function, iterations);
      if (Operation *waiting = unrolled.getBadEvent()) {
        return waiting->emitOpError(
            "waits for an event that nothing before it signals, or signals one "
            "that another instruction signals, too");
      }
      BufferCopies copies(function);
      if (std::optional<ReplayFault> fault =
              MemoryReplay(unrolled).findUnordered(
                  [&](const UnrolledFunction::Execution &execution,
                      const plan::BufferAccess &access) {
                    return copies.locate(execution, access);
                  })) {
        return report(unrolled, *fault);
      }
    }
    return success();
  }

  static LogicalResult report(const UnrolledFunction &function,
                              const ReplayFault &fault) {
    const UnrolledFunction::Execution &first =
        function.getExecutions()[fault.earlier];
    const UnrolledFunction::Execution &second =
        function.getExecutions()[fault.later];
    auto stream = [](const UnrolledFunction::Execution &execution) {
      FlatSymbolRefAttr name = execution.getInstruction().getStream();
      return name ? name.getValue() : StringRef("first");
    };
    InFlightDiagnostic error = second.op->emitOpError("on the ");
    error << stream(second)
          << " stream is not ordered after an instruction on the "
          << stream(first) << " stream that touches the same bytes (iterations "
          << second.iteration << " and " << first.iteration << ")";
    error.attachNote(first.op->getLoc())
        << "the other instruction: " << *first.op;
    return error;
  }
};

} // namespace
