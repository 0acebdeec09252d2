// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes explicit that a step begins with gradients of zero: the step before has
// left them so.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Fuse/Passes.h"

namespace accel {
#define GEN_PASS_DEF_CLEARGRADIENTSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class ClearGradientsPass
    : public accel::impl::ClearGradientsPassBase<ClearGradientsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    if (!step) {
      return;
    }
    auto init = module.lookupSymbol<func::FuncOp>("init");
    for (auto state : module.getOps<StateOp>()) {
      // A write of what is held whole is of the rank's part: AssignBuffers
      // clears all of it.
      if (state.getSlot() != "gradient" ||
          dist::getHolding(state) == dist::Holding::Whole) {
        continue;
      }
      if (init && dist::getHolding(state) == dist::Holding::All) {
        clear(state, OpBuilder(init.getBody().front().getTerminator()));
        clear(state, OpBuilder(step.getBody().front().getTerminator()));
      } else {
        clear(state, OpBuilder::atBlockBegin(&step.getBody().front()));
      }
    }
  }

  static void clear(StateOp state, OpBuilder builder) {
    auto type = cast<RankedTensorType>(state.getType());
    auto zeros = DenseElementsAttr::get(
        type, builder.getZeroAttr(type.getElementType()));
    Value zero = ConstantOp::create(builder, state.getLoc(), zeros);
    WriteOp::create(builder, state.getLoc(),
                    FlatSymbolRefAttr::get(state.getSymNameAttr()), zero);
  }
};

} // namespace
