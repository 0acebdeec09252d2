// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splat constants and views.
#include "passes/Import/ConstantValue.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace accel {

Value skipViews(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return value;
}

std::optional<double> getSplat(Value value) {
  auto constant = skipViews(value).getDefiningOp<ConstantOp>();
  if (!constant) {
    return std::nullopt;
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat()) {
    return std::nullopt;
  }
  if (isa<FloatType>(elements.getElementType())) {
    return elements.getSplatValue<APFloat>().convertToDouble();
  }
  APInt number = elements.getSplatValue<APInt>();
  return elements.getElementType().isInteger(1) ? double(number.getZExtValue())
                                                : double(number.getSExtValue());
}

bool isClose(double left, double right, double tolerance) {
  // Exporters compute such constants in f32, from operands that are f32.
  double larger = std::max(std::abs(left), std::abs(right));
  return left == right || (std::isfinite(larger) &&
                           std::abs(left - right) <= tolerance * larger);
}

bool isSplat(Value value, double number) {
  std::optional<double> splat = getSplat(value);
  return splat && isClose(*splat, number);
}

static bool isNumberUnderShape(Value value) {
  while (typeOf(value).getRank() > 0 && value.getDefiningOp<ReshapeOp>()) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return typeOf(value).getRank() == 0;
}

bool isNumberStack(Value value) {
  auto stack = value.getDefiningOp<ConcatOp>();
  return stack && llvm::all_of(stack.getOperands(), isNumberUnderShape);
}

bool dependsOnParameters(Value value) {
  llvm::SetVector<Value> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    if (isa_and_nonnull<ReadOp>(op)) {
      return true;
    }
    if (op) {
      pending.insert(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

} // namespace accel
