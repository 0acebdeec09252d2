// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the streams of a rank and says which one executes each instruction.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNSTREAMSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

constexpr StringLiteral kCompute = "compute";
constexpr StringLiteral kCommunication = "communication";
constexpr StringLiteral kHost = "host";

StringRef getStreamFor(Operation *op) {
  if (isa<plan::FetchOp>(op)) {
    return kHost;
  }
  return isa<plan::MetricOp, plan::AllReduceOp, plan::AllGatherOp,
             plan::ReduceScatterOp>(op)
             ? kCommunication
             : kCompute;
}

class AssignStreamsPass
    : public accel::impl::AssignStreamsPassBase<AssignStreamsPass> {
  void runOnOperation() override {
    declareStreams();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<plan::MetricOp> metrics;
      function.walk([&](plan::InstructionOpInterface op) {
        op->setAttr(plan::kStreamAttr,
                    FlatSymbolRefAttr::get(&getContext(), getStreamFor(op)));
        if (auto metric = dyn_cast<plan::MetricOp>(op.getOperation())) {
          metrics.push_back(metric);
        }
      });
      for (plan::MetricOp metric : metrics) {
        metric->moveBefore(function.getBody().front().getTerminator());
      }
    }
  }

  void declareStreams() {
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    const std::pair<StringRef, plan::StreamKind> streams[] = {
        {kCompute, plan::StreamKind::Compute},
        {kCommunication, plan::StreamKind::Communication},
        {kHost, plan::StreamKind::Host}};
    for (auto [name, kind] : streams) {
      plan::StreamOp::create(builder, getOperation().getLoc(), name, kind);
    }
  }
};

} // namespace
