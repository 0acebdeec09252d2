// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products, maxima and minima.
#include "passes/Lower/Loops/Combination.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

using vector::CombiningKind;

CombiningKind accel::getCombination(Operation *op) {
  bool isFloat = isa<FloatType>(elementTypeOf(op->getResult(0)));
  if (isa<ReduceSumOp>(op)) {
    return CombiningKind::ADD;
  }
  if (isa<ReduceMaxOp>(op)) {
    return isFloat ? CombiningKind::MAXIMUMF : CombiningKind::MAXSI;
  }
  return isFloat ? CombiningKind::MINIMUMF : CombiningKind::MINSI;
}

TypedAttr accel::getNeutral(CombiningKind kind, Type element) {
  Builder builder(element.getContext());
  bool isMaximum = kind == CombiningKind::MAXNUMF ||
                   kind == CombiningKind::MAXIMUMF ||
                   kind == CombiningKind::MAXSI;
  bool isMinimum = kind == CombiningKind::MINNUMF ||
                   kind == CombiningKind::MINIMUMF ||
                   kind == CombiningKind::MINSI;
  if (!isMaximum && !isMinimum) {
    return kind == CombiningKind::MUL ? builder.getOneAttr(element)
                                      : builder.getZeroAttr(element);
  }
  if (auto type = dyn_cast<FloatType>(element)) {
    return builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                      /*Negative=*/isMaximum));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element, isMaximum
                                             ? APInt::getSignedMinValue(width)
                                             : APInt::getSignedMaxValue(width));
}

Value accel::combineLanes(OpBuilder &builder, Location loc, CombiningKind kind,
                          Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  while (count > 1) {
    count /= 2;
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(
          builder, loc, vector, ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
    };
    Value low = half(0);
    vector = vector::makeArithReduction(builder, loc, kind, low, half(count));
  }
  return vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
}
