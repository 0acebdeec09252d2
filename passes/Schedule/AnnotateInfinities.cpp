// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which infinities instructions may write although nothing is wrong.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/Infinities.h"
#include "passes/Schedule/Passes.h"

namespace accel {
#define GEN_PASS_DEF_ANNOTATEINFINITIESPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class AnnotateInfinitiesPass
    : public accel::impl::AnnotateInfinitiesPassBase<AnnotateInfinitiesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getProgram(getOperation())) {
      findInfinities(function, [&](plan::InstructionOpInterface op,
                                   ArrayRef<Infinities> written) {
        if (ArrayAttr list = getInfinitiesAttr(&getContext(), written)) {
          op->setAttr(plan::kInfinitiesAttr, list);
        }
      });
    }
  }
};

} // namespace
