// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which lane executes each instruction.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class AssignLanesPass
    : public accel::impl::AssignLanesPassBase<AssignLanesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<plan::MetricOp> metrics;
      function.walk([&](plan::InstructionOpInterface op) {
        bool communicates =
            isa<plan::FetchOp, plan::MetricOp, plan::AllReduceOp,
                plan::AllGatherOp, plan::ReduceScatterOp>(op);
        plan::Lane lane =
            communicates ? plan::Lane::Communication : plan::Lane::Compute;
        op->setAttr("lane",
                    StringAttr::get(&getContext(), plan::stringifyLane(lane)));
        if (auto metric = dyn_cast<plan::MetricOp>(op.getOperation())) {
          metrics.push_back(metric);
        }
      });
      for (plan::MetricOp metric : metrics) {
        metric->moveBefore(function.getBody().front().getTerminator());
      }
    }
  }
};

} // namespace
