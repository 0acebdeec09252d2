// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the streams of a rank and says which one executes each instruction.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNSTREAMSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

plan::StreamKind getKind(Operation *op) {
  if (isa<plan::FetchOp>(op)) {
    return plan::StreamKind::Host;
  }
  return isa<plan::MetricOp, plan::AllReduceOp, plan::AllGatherOp,
             plan::ReduceScatterOp>(op)
             ? plan::StreamKind::Communication
             : plan::StreamKind::Compute;
}

class AssignStreamsPass
    : public accel::impl::AssignStreamsPassBase<AssignStreamsPass> {
public:
  using AssignStreamsPassBase::AssignStreamsPassBase;

private:
  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    ArrayRef<PlannedStream> streams = target->getStreams();
    declareStreams(streams);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(assign(function, streams))) {
        return signalPassFailure();
      }
      SmallVector<plan::MetricOp> metrics;
      function.walk([&](plan::MetricOp op) { metrics.push_back(op); });
      for (plan::MetricOp metric : metrics) {
        metric->moveBefore(function.getBody().front().getTerminator());
      }
    }
  }

  void declareStreams(ArrayRef<PlannedStream> streams) {
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    for (const PlannedStream &stream : streams) {
      plan::StreamOp::create(builder, getOperation().getLoc(), stream.name,
                             stream.kind);
    }
  }

  LogicalResult assign(func::FuncOp function, ArrayRef<PlannedStream> streams) {
    WalkResult result =
        function.walk([&](plan::InstructionOpInterface op) -> WalkResult {
          plan::StreamKind kind = getKind(op);
          const auto *stream = llvm::find_if(
              streams, [&](const PlannedStream &s) { return s.kind == kind; });
          if (stream == streams.end()) {
            return op.emitOpError("expected a stream of kind ")
                   << plan::stringifyStreamKind(kind) << " among the "
                   << streams.size() << " that target " << targetName
                   << " lists, got none";
          }
          op->setAttr(plan::kStreamAttr,
                      FlatSymbolRefAttr::get(&getContext(), stream->name));
          return WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }
};

} // namespace
