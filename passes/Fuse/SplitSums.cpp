// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over many rows become sums of parts, which processors that compute many
// sums at once share out, and a sum of these.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "llvm/Support/MathExtras.h"

namespace accel {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// The fewest parts into which `rows` can be cut evenly and which have at most
/// `length` rows; 1: it stays whole.
static int64_t findParts(int64_t rows, int64_t length) {
  for (int64_t parts = llvm::divideCeil(rows, length); parts < rows; ++parts) {
    if (rows % parts == 0) {
      return parts;
    }
  }
  return 1;
}

/// Part p takes in rows p, p + parts, ...: parts lie side by side, as columns,
/// and their sums are those of one kernel.
static Value emitSum(ArithmeticBuilder &b, Value operand, int64_t rows,
                     int64_t columns, const Target &target) {
  int64_t length = target.getSumLength(rows, columns);
  int64_t parts = length < rows ? findParts(rows, length) : 1;
  Value sum = b.sum(b.reshape(operand, {rows / parts, parts * columns}), 0);
  return parts == 1 ? sum : emitSum(b, sum, parts, columns, target);
}

namespace {

class SplitSumsPass : public accel::impl::SplitSumsPassBase<SplitSumsPass> {
public:
  using SplitSumsPassBase::SplitSumsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    SmallVector<ReduceSumOp> sums;
    getOperation().walk([&](ReduceSumOp sum) {
      if (isColumnSum(sum)) {
        sums.push_back(sum);
      }
    });
    for (ReduceSumOp sum : sums) {
      int64_t columns = getNumElements(sum.getResult());
      int64_t rows = getNumElements(sum.getOperand()) / columns;
      int64_t length = target->getSumLength(rows, columns);
      if (length >= rows || findParts(rows, length) == 1) {
        continue;
      }
      OpBuilder builder(sum);
      ArithmeticBuilder b(builder, sum.getLoc());
      Value whole = emitSum(b, sum.getOperand(), rows, columns, *target);
      sum.replaceAllUsesWith(b.reshape(whole, sum.getType().getShape()));
      sum.erase();
    }
  }
};

} // namespace
