// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that no transient buffer's contents are lost in the arena.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/MemoryReplay.h"
#include "passes/Memory/MemoryCheck.h"
#include "passes/Memory/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYMEMORYPASS
#include "passes/Memory/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// The arena's bytes that an access touches, if its buffer lies there.
std::optional<ReplayedBytes> locateInArena(const plan::BufferAccess &access,
                                           plan::Space space) {
  plan::BufferRange range = plan::getBufferRange(access.buffer);
  if (range.buffer.getRegion() != plan::Region::Transient ||
      range.buffer.getSpace() != space) {
    return std::nullopt;
  }
  int64_t begin = *range.buffer.getOffset() + range.begin;
  return ReplayedBytes{0, begin, begin + range.bytes};
}

class VerifyMemoryPass
    : public accel::impl::VerifyMemoryPassBase<VerifyMemoryPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (auto [space, attribute] : plan::kArenaAttrs) {
        if (failed(verify(function, space, attribute))) {
          return signalPassFailure();
        }
      }
    }
    if (failed(checkMemoryTotals(getOperation()))) {
      signalPassFailure();
    }
  }

  static LogicalResult verify(func::FuncOp function, plan::Space space,
                              StringRef attribute) {
    int64_t bytes = 0;
    if (failed(measure(function, space, bytes))) {
      return failure();
    }
    // Fewer iterations have ends that more of them do not have.
    unsigned most = UnrolledFunction::countIterations(function);
    for (unsigned iterations = 1; iterations <= most; ++iterations) {
      UnrolledFunction unrolled(function, iterations);
      auto locate = [&](const UnrolledFunction::Execution &,
                        const plan::BufferAccess &access) {
        return locateInArena(access, space);
      };
      MemoryReplay replay(unrolled);
      std::optional<ReplayFault> fault = replay.findWrongContents(locate);
      if (!fault) {
        // That the uses of one buffer are ordered is VerifySchedule's proof.
        fault = replay.findUnordered(locate, /*betweenBuffersOnly=*/true);
      }
      if (fault) {
        return report(unrolled, *fault);
      }
    }
    auto arena = function->getAttrOfType<IntegerAttr>(attribute);
    if (arena && bytes > arena.getInt()) {
      return function.emitOpError("expected its buffers within ")
             << arena.getInt() << " bytes, got buffers up to " << bytes;
    }
    return success();
  }

  /// The end of the highest buffer; an error where one has no offset.
  static LogicalResult measure(func::FuncOp function, plan::Space space,
                               int64_t &bytes) {
    WalkResult result = function.walk([&](plan::BufferOp buffer) -> WalkResult {
      if (buffer.getRegion() != plan::Region::Transient ||
          buffer.getSpace() != space || buffer->use_empty()) {
        return success();
      }
      if (!buffer.getOffset()) {
        return buffer.emitOpError("has no offset in the arena");
      }
      bytes = std::max(bytes, getEnd(buffer));
      return success();
    });
    return failure(result.wasInterrupted());
  }

  static int64_t getEnd(plan::BufferOp buffer) {
    return *buffer.getOffset() +
           plan::getMemRefBytes(cast<MemRefType>(buffer.getType()));
  }

  static LogicalResult report(const UnrolledFunction &function,
                              const ReplayFault &fault) {
    plan::BufferOp first = fault.earlierBuffer;
    plan::BufferOp second = fault.laterBuffer;
    auto describe = [&](InFlightDiagnostic &error, unsigned e) {
      const UnrolledFunction::Execution &execution =
          function.getExecutions()[e];
      error.attachNote(execution.op->getLoc())
          << "in iteration " << execution.iteration << ": " << *execution.op;
    };
    InFlightDiagnostic error = second.emitOpError("at bytes [");
    error << *second.getOffset() << ", " << getEnd(second) << ")";
    if (fault.kind == ReplayFault::Unwritten) {
      error << " is read before anything has written it";
      describe(error, fault.later);
      return error;
    }
    error
        << (fault.kind == ReplayFault::Overwritten
                ? " is read after another was written over it"
            : fault.kind == ReplayFault::Aliased
                ? " shares bytes with another that the same instruction uses"
                : " shares bytes with another, and nothing orders their uses");
    error.attachNote(first.getLoc())
        << "the other, at bytes [" << *first.getOffset() << ", "
        << getEnd(first) << "): " << *first.getOperation();
    describe(error, fault.earlier);
    if (fault.later != fault.earlier) {
      describe(error, fault.later);
    }
    return error;
  }
};

} // namespace
