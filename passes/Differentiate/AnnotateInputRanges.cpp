// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which numbers an integer input may hold, from the tables it chooses rows
// of.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/Interpreter/InputRanges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ANNOTATEINPUTRANGESPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

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
    annotateInputRanges(forward);
  }
};

} // namespace
} // namespace accel
