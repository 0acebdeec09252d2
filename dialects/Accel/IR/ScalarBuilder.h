// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on scalars of a step: tensors of rank 0 in f64.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SCALARBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_SCALARBUILDER_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// Builds operations on f64 scalars at the insertion point of a builder.
/// Borrows: the builder.
class ScalarBuilder : public ArithmeticBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : ArithmeticBuilder(builder, loc),
        type(mlir::RankedTensorType::get({}, builder.getF64Type())) {}

  Value number(double value) { return constant(type, value); }

  /// The value of state `name`.
  Value read(llvm::StringRef name) { return create<ReadOp>(type, name); }
  void write(llvm::StringRef name, Value value) {
    WriteOp::create(builder, loc, name, value);
  }
  void report(llvm::StringRef metric, Value value) {
    MetricOp::create(builder, loc, metric, value);
  }

  /// The sum of `parts`, at least one, by a single reduction: its code does not
  /// depend on how many there are.
  Value sumOf(llvm::ArrayRef<Value> parts) {
    if (parts.size() == 1) {
      return parts.front();
    }
    auto rows = llvm::map_to_vector(
        parts, [&](Value part) { return reshape(part, {1}); });
    auto count = static_cast<int64_t>(parts.size());
    return sum(create<ConcatOp>(type.clone({count}), rows, 0), {0});
  }

  /// left < right ? onTrue : onFalse
  Value selectLess(Value left, Value right, Value onTrue, Value onFalse) {
    return select(compare(ComparePredicate::LT, left, right), onTrue, onFalse);
  }

private:
  mlir::RankedTensorType type;
};

} // namespace accel

#endif
