// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives dropout its samples in front, wherever the model has put them, so that
// an element's random number is a function of its sample and its place in it.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "passes/Differentiate/SampleBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_PLACEDROPOUTPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Moves the samples of what `dropout` reads, blocks of `blockSize`, in front
/// of it, and those of its result back.
void moveSamplesInFront(DropoutOp dropout, int64_t blockSize, int64_t batch) {
  OpBuilder builder(dropout);
  ArithmeticBuilder b(builder, dropout.getLoc());
  auto type = cast<RankedTensorType>(dropout.getType());
  int64_t rounds = type.getNumElements() / (batch * blockSize);
  Value operand = dropout.getOperand();
  Value blocks = b.reshape(operand, {rounds, batch, blockSize});
  Value moved = b.create<TransposeOp>(blocks, ArrayRef<int64_t>{1, 0, 2});
  auto dropped = cast<DropoutOp>(builder.clone(*dropout));
  dropped.getOperandMutable().assign(moved);
  dropped.getResult().setType(cast<RankedTensorType>(moved.getType()));
  Value back =
      b.create<TransposeOp>(dropped.getResult(), ArrayRef<int64_t>{1, 0, 2});
  dropout.replaceAllUsesWith(b.reshape(back, type.getShape()));
  dropout.erase();
}

class PlaceDropoutPass : public impl::PlaceDropoutPassBase<PlaceDropoutPass> {
public:
  using PlaceDropoutPassBase::PlaceDropoutPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    auto batch = module->getAttrOfType<IntegerAttr>("accel.batch");
    if (!forward || !batch) {
      module.emitError(
          "expected a function @forward and attribute 'accel.batch', got ")
          << (forward ? "no attribute" : "no function");
      return signalPassFailure();
    }
    Block &body = forward.getBody().front();
    SampleBlocks samples(body, batch.getInt());
    SmallVector<std::pair<DropoutOp, int64_t>> moved;
    for (auto dropout : body.getOps<DropoutOp>()) {
      Value operand = dropout.getOperand();
      std::optional<int64_t> blockSize = samples.getBlockSize(operand);
      if (blockSize && !samples.areInFront(operand)) {
        moved.emplace_back(dropout, *blockSize);
      }
    }
    for (auto [dropout, blockSize] : moved) {
      moveSamplesInFront(dropout, blockSize, batch.getInt());
    }
  }
};

} // namespace
} // namespace accel
