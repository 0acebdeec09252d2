// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which numbers an integer input may hold, from the tables it chooses rows
// of.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ANNOTATEINPUTRANGESPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// The rows of the smallest table that `indices` chooses from, directly or
/// through operations that only move elements.
std::optional<int64_t> getSmallestTable(Value indices) {
  std::optional<int64_t> smallest;
  auto consider = [&](std::optional<int64_t> rows) {
    if (rows) {
      smallest = smallest ? std::min(*smallest, *rows) : *rows;
    }
  };
  for (Operation *user : indices.getUsers()) {
    auto gather = dyn_cast<GatherOp>(user);
    if (gather && gather.getIndices() == indices) {
      consider(
          cast<RankedTensorType>(gather.getTable().getType()).getDimSize(0));
    }
    if (isa<ReshapeOp, TransposeOp, BroadcastOp>(user)) {
      consider(getSmallestTable(user->getResult(0)));
    }
  }
  return smallest;
}

class AnnotateInputRangesPass
    : public impl::AnnotateInputRangesPassBase<AnnotateInputRangesPass> {
public:
  using AnnotateInputRangesPassBase::AnnotateInputRangesPassBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward) {
      getOperation().emitError("expected a function @forward, got none");
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (BlockArgument argument : forward.getArguments()) {
      if (std::optional<int64_t> rows = getSmallestTable(argument)) {
        forward.setArgAttr(argument.getArgNumber(), "accel.range",
                           builder.getI64ArrayAttr({0, *rows - 1}));
      }
    }
  }
};

} // namespace
} // namespace accel
