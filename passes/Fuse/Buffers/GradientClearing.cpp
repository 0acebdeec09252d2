// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills of whole gradients, and of the gaps between their parameters.
#include "passes/Fuse/Buffers/GradientClearing.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/GradientAccumulation.h"
#include "passes/Analysis/IndexRanges.h"
#include "passes/Analysis/StateMemory.h"

using namespace mlir;
using namespace accel;

void accel::clearGradients(plan::RepeatOp loop, SymbolBuffers &symbols) {
  OpBuilder before(loop);
  auto module = loop->getParentOfType<ModuleOp>();
  for (auto state : module.getOps<StateOp>()) {
    if (state.isGradient() && !state->hasAttr(kStoredAttr) &&
        dist::getHolding(state) != dist::Holding::Part) {
      plan::FillOp::create(before, state.getLoc(), symbols.getWhole(state));
    }
  }
}

static IndexRanges getParameterRanges(StateOp slot) {
  IndexRanges ranges;
  for (ParameterOp parameter : getSegmentParameters(slot)) {
    int64_t offset = *parameter.getOffset();
    auto type = cast<RankedTensorType>(parameter.getType());
    ranges.insert(offset, offset + type.getNumElements());
  }
  return ranges;
}

void accel::clearGradientGaps(func::FuncOp initialize, SymbolBuffers &symbols,
                              BufferDeclarations &declarations) {
  OpBuilder builder(initialize.getBody().front().getTerminator());
  auto module = initialize->getParentOfType<ModuleOp>();
  for (auto state : module.getOps<StateOp>()) {
    if (!state->hasAttr(kStoredAttr)) {
      continue;
    }
    auto type = cast<RankedTensorType>(state.getType());
    Location loc = state.getLoc();
    getParameterRanges(state).eachGap(
        type.getNumElements(), [&](int64_t begin, int64_t end) {
          auto gap = MemRefType::get({end - begin}, type.getElementType());
          Value view =
              declarations.getView(loc, symbols.getWhole(state), begin, gap);
          plan::FillOp::create(builder, loc, view);
        });
  }
}
