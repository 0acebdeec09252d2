// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short words for arithmetic on scalars or vectors of one type, for the
// expansions of mathematical functions.
#ifndef ACCEL_PASSES_LOWER_LANEMATH_H
#define ACCEL_PASSES_LOWER_LANEMATH_H

#include "passes/Lower/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace accel {

/// Arithmetic on floats of `type` (or vectors of them) and on integers of the
/// same width. No operation carries a fast-math flag: the expansions rely on
/// every rounding.
class LaneMath {
public:
  using Value = mlir::Value;

  LaneMath(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), type(type) {}

  mlir::Type like(mlir::Type element) const {
    auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  mlir::Type integers() const {
    return like(builder.getIntegerType(
        mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  }

  Value number(double value) const {
    return emitNumber(builder, loc, type, value);
  }
  Value integer(int64_t value) const {
    mlir::Type wide = integers();
    return emitSplat(
        builder, loc, wide,
        builder.getIntegerAttr(mlir::getElementTypeOrSelf(wide), value));
  }

  Value add(Value a, Value b) const {
    return mlir::arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) const {
    return mlir::arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) const {
    return mlir::arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) const {
    return mlir::arith::DivFOp::create(builder, loc, a, b);
  }
  Value neg(Value a) const {
    return mlir::arith::NegFOp::create(builder, loc, a);
  }
  Value fma(Value a, Value b, Value c) const {
    return mlir::math::FmaOp::create(builder, loc, a, b, c);
  }
  Value floor(Value a) const {
    return mlir::math::FloorOp::create(builder, loc, a);
  }
  Value abs(Value a) const {
    return mlir::math::AbsFOp::create(builder, loc, a);
  }
  Value compare(mlir::arith::CmpFPredicate how, Value a, Value b) const {
    return mlir::arith::CmpFOp::create(builder, loc, how, a, b);
  }
  Value select(Value condition, Value a, Value b) const {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value bits(Value a) const {
    return mlir::arith::BitcastOp::create(builder, loc, integers(), a);
  }
  Value fromBits(Value a) const {
    return mlir::arith::BitcastOp::create(builder, loc, type, a);
  }
  Value addBits(Value a, Value b) const {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  Value subBits(Value a, Value b) const {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  Value andBits(Value a, Value b) const {
    return mlir::arith::AndIOp::create(builder, loc, a, b);
  }
  Value shiftLeft(Value a, int64_t count) const {
    return mlir::arith::ShLIOp::create(builder, loc, a, integer(count));
  }
  Value shiftRight(Value a, int64_t count) const {
    return mlir::arith::ShRSIOp::create(builder, loc, a, integer(count));
  }
  Value isZero(Value a) const {
    return mlir::arith::CmpIOp::create(
        builder, loc, mlir::arith::CmpIPredicate::eq, a, integer(0));
  }
  Value toFloat(Value a) const {
    return mlir::arith::SIToFPOp::create(builder, loc, type, a);
  }

  /// c[0] + c[1] x + ..., from the highest power down.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) const {
    Value result = number(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back())) {
      result = fma(result, x, number(c));
    }
    return result;
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
};

/// exp, log, sin, cos and pow of f64, and sin, cos and pow of f32 by way of
/// f64.
void populateDoubleMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace accel

#endif
