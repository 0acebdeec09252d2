// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors are numbered as they come; how many there are is known at the end.
#include "passes/Precision/DelayedScales.h"

#include "dialects/Accel/IR/Fp8Scale.h"

#include <cmath>

using namespace mlir;
using namespace accel;

TensorScale DelayedScales::get(ArithmeticBuilder &b, Value tensor,
                               Type element) {
  auto scalar = RankedTensorType::get({}, b.getBuilder().getF32Type());
  auto placeholder = [&] { return b.constant(scalar, 1.0); };
  auto largest = static_cast<float>(
      std::ldexp(getLargest(element), -static_cast<int>(margin)));
  tensors.push_back(
      {placeholder(), placeholder(), buildAmax(b, tensor), largest});
  return {tensors.back().scale, tensors.back().inverse};
}

/// The placeholders are dead code afterwards, which the rewriter erases.
void DelayedScales::finish(func::FuncOp microbatch) {
  if (tensors.empty()) {
    return; // products of weights that are not trained
  }
  declareStates(microbatch);
  readScales(microbatch);
  raiseAmaxes(microbatch);
}

void DelayedScales::declareStates(func::FuncOp microbatch) {
  OpBuilder builder(microbatch);
  Location loc = microbatch.getLoc();
  auto count = static_cast<int64_t>(tensors.size());
  auto type = RankedTensorType::get({count}, builder.getF32Type());
  auto scales = StateOp::create(builder, loc, kDelayedScaleState, type,
                                StateKind::Scale, builder.getF64FloatAttr(1.0));
  auto largest = llvm::map_to_vector(
      tensors, [](const Tensor &tensor) { return tensor.largest; });
  scales->setAttr(kDelayedLargestAttr,
                  DenseElementsAttr::get(type, ArrayRef<float>(largest)));
  StateOp::create(builder, loc, kDelayedInverseState, type, StateKind::Scale,
                  builder.getF64FloatAttr(1.0));
  StateOp::create(builder, loc, kDelayedAmaxState, type,
                  StateKind::AccumulatorMax);
  if (steps > 1) {
    StateOp::create(builder, loc, kDelayedHistoryState,
                    RankedTensorType::get({count, steps}, builder.getF32Type()),
                    StateKind::Scale);
    StateOp::create(builder, loc, kDelayedColumnState,
                    RankedTensorType::get({}, builder.getF64Type()),
                    StateKind::Counter);
  }
}

void DelayedScales::readScales(func::FuncOp microbatch) {
  OpBuilder builder(microbatch.getContext());
  builder.setInsertionPointToStart(&microbatch.getBody().front());
  ArithmeticBuilder b(builder, microbatch.getLoc());
  auto type = RankedTensorType::get({static_cast<int64_t>(tensors.size())},
                                    builder.getF32Type());
  Value scales = b.create<ReadOp>(type, kDelayedScaleState);
  Value inverses = b.create<ReadOp>(type, kDelayedInverseState);
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    tensor.scale.replaceAllUsesWith(buildElement(b, scales, index));
    tensor.inverse.replaceAllUsesWith(buildElement(b, inverses, index));
  }
}

/// Ranks and microbatches find their own maxima.
void DelayedScales::raiseAmaxes(func::FuncOp microbatch) {
  OpBuilder builder(microbatch.getBody().front().getTerminator());
  ArithmeticBuilder b(builder, microbatch.getLoc());
  SmallVector<Value> rows =
      llvm::map_to_vector(tensors, [&](const Tensor &tensor) {
        return b.reshape(tensor.amax, {1});
      });
  Value found = b.concat(rows);
  Value before = b.create<ReadOp>(found.getType(), kDelayedAmaxState);
  WriteOp::create(builder, b.getLoc(), kDelayedAmaxState, b.max(before, found));
}
