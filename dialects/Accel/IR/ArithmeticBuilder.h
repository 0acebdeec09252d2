// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of the dialect on tensors: what gradient rules, optimizers and
// passes that write formulas are written with.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ARITHMETICBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_ARITHMETICBUILDER_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// Builds operations at the insertion point of a builder. Those who need more
/// (gradient rules, scalars of a step, segments of an optimizer) derive theirs
/// from it.
///
/// Requires: all shapes are static, as they are after Import.
/// Borrows: the builder.
class ArithmeticBuilder {
public:
  using Value = mlir::Value;

  ArithmeticBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// Builds any operation of the dialect; returns its first result.
  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...)
        ->getResult(0);
  }

  // Element by element.
  Value add(Value lhs, Value rhs) { return create<AddOp>(lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return create<SubOp>(lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return create<MulOp>(lhs, rhs); }
  Value div(Value lhs, Value rhs) { return create<DivOp>(lhs, rhs); }
  Value min(Value lhs, Value rhs) { return create<MinOp>(lhs, rhs); }
  Value max(Value lhs, Value rhs) { return create<MaxOp>(lhs, rhs); }
  Value neg(Value operand) { return create<NegOp>(operand); }
  Value abs(Value operand) { return create<AbsOp>(operand); }
  Value exp(Value operand) { return create<ExpOp>(operand); }
  Value log(Value operand) { return create<LogOp>(operand); }
  Value sqrt(Value operand) { return create<SqrtOp>(operand); }
  Value rsqrt(Value operand) { return create<RsqrtOp>(operand); }
  Value cos(Value operand) { return create<CosOp>(operand); }
  Value select(Value condition, Value onTrue, Value onFalse) {
    return create<SelectOp>(condition, onTrue, onFalse);
  }
  Value compare(ComparePredicate predicate, Value lhs, Value rhs) {
    return create<CompareOp>(predicate, lhs, rhs);
  }

  /// With a number in every element of the other side.
  Value add(Value lhs, double rhs) { return add(lhs, constant(lhs, rhs)); }
  Value mul(Value lhs, double rhs) { return mul(lhs, constant(lhs, rhs)); }
  Value compare(ComparePredicate predicate, Value lhs, double rhs) {
    return compare(predicate, lhs, constant(lhs, rhs));
  }

  /// Whether labels lie in [0, classes): others are no targets.
  Value isClass(Value labels, int64_t classes);

  /// `value` where `condition` holds, zero elsewhere.
  Value keepWhere(Value condition, Value value) {
    return select(condition, value, constant(value, 0.0));
  }

  /// A constant of the type of `like` with `number` in every element.
  Value constant(Value like, double number) {
    return constant(like.getType(), number);
  }
  Value constant(mlir::Type type, double number);

  /// `operand` itself if its elements are of type `element`, else a cast.
  Value cast(Value operand, mlir::Type element);

  // Shapes.
  /// `operand` itself if it has that shape, else a reshape.
  Value reshape(Value operand, llvm::ArrayRef<int64_t> shape);
  /// `operand` under the shape of `like`.
  Value reshapeLike(Value operand, Value like);

  /// `scalar` in every element of a tensor of type `type`.
  Value repeat(Value scalar, mlir::RankedTensorType type) {
    return create<BroadcastOp>(type, scalar, llvm::ArrayRef<int64_t>{});
  }

  /// `parts`, at least one, behind each other along the first axis; a single
  /// one itself.
  Value concat(llvm::ArrayRef<Value> parts) {
    return parts.size() == 1 ? parts.front()
                             : create<ConcatOp>(parts, int64_t{0});
  }

  /// The sum over `axes`.
  Value sum(Value operand, llvm::ArrayRef<int64_t> axes);

  /// Undoes the shape change of a reduction over `axes`: repeats `reduced`
  /// along them, to the shape of `like`.
  Value spread(Value reduced, Value like, llvm::ArrayRef<int64_t> axes);

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The integers from `begin` to `end - 1`.
llvm::SmallVector<int64_t> axisRange(int64_t begin, int64_t end);
/// The order of `rank` dimensions that puts `axis` behind all others.
llvm::SmallVector<int64_t> axisLast(int64_t rank, int64_t axis);

/// The dimensions of a tensor of rank `rank` that are not in `axes`.
llvm::SmallVector<int64_t> otherAxes(int64_t rank,
                                     llvm::ArrayRef<int64_t> axes);

} // namespace accel

#endif
