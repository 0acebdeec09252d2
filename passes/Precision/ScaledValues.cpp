// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale, and the cast.
#include "passes/Precision/ScaledValues.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Precision/PrecisionSites.h"

using namespace mlir;
using namespace accel;

TensorScale CurrentScales::get(ArithmeticBuilder &b, Value tensor,
                               Type element) {
  Value scale = buildScale(b, buildAmax(b, tensor), element);
  return {scale, buildInverseScale(b, scale)};
}

void ScaledValues::set(Value value, const ScaledValue &scaled) {
  known[{value, elementTypeOf(scaled.numbers)}] = scaled;
}

bool ScaledValues::isKnown(Value value, Type element) const {
  return known.contains({value, element});
}

ScaledValue ScaledValues::get(Value value, Type element) {
  if (!isKnown(value, element)) {
    ScaledValue made = make(value, element);
    known[{value, element}] = made;
  }
  return known.find({value, element})->second;
}

ScaledValue ScaledValues::make(Value value, Type element) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Operation *op = value.getDefiningOp();
  bool isWhole = isa_and_nonnull<ReshapeOp, TransposeOp>(op);
  if (isWhole || (isStoredView(op) && getParameterRead(value))) {
    ScaledValue source = get(op->getOperand(0), element);
    Operation *view = cloneView(op, source.numbers);
    for (auto [wide, narrow] :
         llvm::zip_equal(op->getResults(), view->getResults())) {
      known[{wide, element}] = {narrow, source.inverse};
    }
    return known.find({value, element})->second;
  }
  ArithmeticBuilder b(builder, value.getLoc());
  auto type = cast<RankedTensorType>(value.getType());
  TensorScale scale = scales.get(b, value, element);
  Value scaled = b.mul(value, b.repeat(scale.scale, type));
  return {b.cast(scaled, element), scale.inverse};
}
