// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise formulas over tensors of one type, for operators that the
// dialect has no operation of: their gradients are those of the parts.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_FORMULA_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_FORMULA_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Every operand has the formula's type, every condition its shape.
class Formula {
public:
  Formula(const NodeConversion &conversion, mlir::RankedTensorType type)
      : c(conversion), type(type) {}

  mlir::Value number(double value) const { return c.makeConstant(type, value); }
  /// 0, 1, 2 ... along a dimension.
  mlir::Value index(int64_t dimension) const {
    return IotaOp::create(c.builder, c.loc, type, dimension);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) const {
    return make<AddOp>(lhs, rhs);
  }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) const {
    return make<SubOp>(lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) const {
    return make<MulOp>(lhs, rhs);
  }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) const {
    return make<DivOp>(lhs, rhs);
  }
  mlir::Value min(mlir::Value lhs, mlir::Value rhs) const {
    return make<MinOp>(lhs, rhs);
  }
  /// Between two numbers, of which it is one outside; there the gradient is
  /// zero.
  mlir::Value clip(mlir::Value value, double least, double most) const {
    mlir::Value low = number(least), high = number(most);
    value = select(less(value, low), low, value);
    return select(greater(value, high), high, value);
  }
  mlir::Value scale(double factor, mlir::Value value) const {
    return mul(number(factor), value);
  }
  mlir::Value abs(mlir::Value value) const { return make<AbsOp>(value); }
  mlir::Value exp(mlir::Value value) const { return make<ExpOp>(value); }
  mlir::Value log(mlir::Value value) const { return make<LogOp>(value); }
  mlir::Value sqrt(mlir::Value value) const { return make<SqrtOp>(value); }
  mlir::Value tanh(mlir::Value value) const { return make<TanhOp>(value); }
  mlir::Value sigmoid(mlir::Value value) const {
    return make<SigmoidOp>(value);
  }

  mlir::Value compare(ComparePredicate predicate, mlir::Value lhs,
                      mlir::Value rhs) const {
    mlir::RankedTensorType shape = type;
    return CompareOp::create(c.builder, c.loc,
                             shape.clone(c.builder.getI1Type()), predicate, lhs,
                             rhs);
  }
  mlir::Value less(mlir::Value lhs, mlir::Value rhs) const {
    return compare(ComparePredicate::LT, lhs, rhs);
  }
  mlir::Value greater(mlir::Value lhs, mlir::Value rhs) const {
    return compare(ComparePredicate::GT, lhs, rhs);
  }
  mlir::Value equal(mlir::Value lhs, mlir::Value rhs) const {
    return compare(ComparePredicate::EQ, lhs, rhs);
  }
  /// The gradient goes to what was chosen, and to nothing else.
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse) const {
    return SelectOp::create(c.builder, c.loc, onTrue.getType(), condition,
                            onTrue, onFalse);
  }

private:
  template <typename Op, typename... Operands>
  mlir::Value make(mlir::Value first, Operands... others) const {
    return Op::create(c.builder, c.loc, first.getType(), first, others...);
  }

  const NodeConversion &c;
  mlir::RankedTensorType type;
};

} // namespace accel::onnx

#endif
