// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rule per kind of operation.
#include "passes/Differentiate/SampleBlocks.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {
namespace {

/// Whether whole blocks of the first dimension are moved together.
bool keepsFirstDimension(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](TransposeOp op) { return op.getPermutation().front() == 0; })
      .Case([](BroadcastOp op) {
        return !op.getDimensions().empty() && op.getDimensions().front() == 0 &&
               shapeOf(op.getOperand())[0] == shapeOf(op.getResult())[0];
      })
      .Case([](SliceOp op) {
        return shapeOf(op.getOperand())[0] == shapeOf(op.getResult())[0];
      })
      .Case([](SplitOp op) { return op.getAxis() != 0; })
      .Case([](ConcatOp op) { return op.getAxis() != 0; })
      .Case([](PadOp op) {
        return shapeOf(op.getOperand())[0] == shapeOf(op.getResult())[0];
      })
      .Case([](CumsumOp op) { return op.getAxis() != 0; })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>(
          [](auto op) { return !llvm::is_contained(op.getAxes(), 0); })
      .Default(false);
}

} // namespace

SampleBlocks::SampleBlocks(Block &block, int64_t batch) : batch(batch) {
  auto hasBlocks = [&](Value value) {
    return !shapeOf(value).empty() && shapeOf(value).front() % batch == 0;
  };
  for (BlockArgument argument : block.getArguments()) {
    bool isBatch =
        !shapeOf(argument).empty() && shapeOf(argument).front() == batch;
    kinds[argument] = isBatch ? Kind::Separate : Kind::Mixed;
  }
  for (Operation &op : block) {
    Kind kind = classify(&op);
    for (Value result : op.getResults()) {
      bool isMixed = kind == Kind::Separate && !hasBlocks(result);
      kinds[result] = isMixed ? Kind::Mixed : kind;
    }
  }
}

bool SampleBlocks::areSeparate(Value value) const {
  return batch == 1 || kinds.lookup(value) == Kind::Separate;
}

Operation *SampleBlocks::findMixing(Value value) const {
  if (areSeparate(value)) {
    return nullptr;
  }
  Operation *op = value.getDefiningOp();
  while (op) {
    auto mixed = llvm::find_if(op->getOperands(), [&](Value operand) {
      return kinds.lookup(operand) == Kind::Mixed;
    });
    if (mixed == op->operand_end()) {
      return op;
    }
    op = (*mixed).getDefiningOp();
  }
  return nullptr;
}

SampleBlocks::Kind SampleBlocks::classify(Operation *op) const {
  if (auto input = dyn_cast<InputOp>(op)) {
    return input.getName() == "seed" ? Kind::Common : Kind::Separate;
  }
  if (llvm::any_of(op->getOperands(), [&](Value operand) {
        return kinds.lookup(operand) == Kind::Mixed;
      })) {
    return Kind::Mixed;
  }
  if (llvm::all_of(op->getOperands(),
                   [&](Value operand) { return isCommon(operand); })) {
    return Kind::Common;
  }
  return keepsBlocks(op) ? Kind::Separate : Kind::Mixed;
}

bool SampleBlocks::keepsBlocks(Operation *op) const {
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    // With more than two dimensions the first one counts products.
    return shapeOf(matmul.getResult()).size() > 2 ||
           (!matmul.getTransposeLhs() && isCommon(matmul.getRhs()));
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    return isCommon(gather.getTable());
  }
  if (isa<SoftmaxOp, LayerNormOp>(op)) {
    // Over the last dimension.
    return shapeOf(op->getOperand(0)).size() > 1;
  }
  if (isa<SoftmaxCrossEntropyOp, AttentionOp, DropoutOp, ReshapeOp>(op)) {
    return true;
  }
  auto fusion = dyn_cast<FusionOpInterface>(op);
  return (fusion && fusion.getFusionKind() == FusionKind::Elementwise) ||
         keepsFirstDimension(op);
}

} // namespace accel
