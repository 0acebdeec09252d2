// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every transient buffer its place in the arena.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Memory/MemoryProblem.h"
#include "passes/Memory/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNOFFSETSPASS
#include "passes/Memory/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class AssignOffsetsPass
    : public accel::impl::AssignOffsetsPassBase<AssignOffsetsPass> {
public:
  using AssignOffsetsPassBase::AssignOffsetsPassBase;

private:
  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("plan.kernel")) {
        continue;
      }
      function.walk([&](plan::BufferOp buffer) {
        buffer.setAlignment(target->getAlignment());
      });
      for (auto [space, attribute] : kArenaAttrs) {
        MemoryProblem problem = readMemory(function, space);
        int64_t bytes = problem.solve();
        for (const BufferLifetime &buffer : problem.buffers) {
          cast<plan::BufferOp>(buffer.op).setOffset(buffer.offset);
        }
        if (bytes > 0 || space == plan::Space::Device) {
          function->setAttr(attribute, builder.getI64IntegerAttr(bytes));
        }
      }
    }
  }
};

} // namespace
