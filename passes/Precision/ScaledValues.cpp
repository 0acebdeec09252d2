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

void ScaledValues::setParameter(ArithmeticBuilder &b, ReadOp read,
                                const Fp8Parameter &parameter) {
  known[{read, elementTypeOf(parameter.numbers)}] = {
      parameter.numbers, buildElement(b, parameter.inverses, parameter.first)};
}

Value ScaledValues::multiply(ArithmeticBuilder &b, MatmulOp product, Type lhs,
                             Type rhs) {
  ScaledValue left = get(product.getLhs(), lhs);
  ScaledValue right = get(product.getRhs(), rhs);
  auto type = cast<RankedTensorType>(product.getType());
  Value sums = b.create<MatmulOp>(type, left.numbers, right.numbers,
                                  product.getTransposeLhs(),
                                  product.getTransposeRhs(), product.getRole());
  sums = b.mul(sums, b.repeat(left.inverse, type));
  return b.mul(sums, b.repeat(right.inverse, type));
}

ScaledValue ScaledValues::get(Value value, Type element) {
  auto *found = known.find({value, element});
  if (found != known.end()) {
    return found->second;
  }
  ScaledValue made = make(value, element);
  known[{value, element}] = made;
  return made;
}

/// Where `value` is a view of all elements of a tensor, or of a parameter, what
/// that became is viewed; another part of a tensor has a scale of its own.
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
  TensorScale scale = scales->get(b, value, element);
  Value scaled = b.mul(value, b.repeat(scale.scale, type));
  return {b.cast(scaled, element), scale.inverse};
}
