// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of indices: counts, places and sizes, which fold where they
// are constants.
#ifndef ACCEL_PASSES_LOWER_INDEXARITHMETIC_H
#define ACCEL_PASSES_LOWER_INDEXARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace accel {

/// Builds operations at the insertion point of a builder. Indices are not
/// negative, unless a method says that it takes signed ones, too. Methods have
/// the names of Arithmetic's.
///
/// Borrows: the builder.
class IndexArithmetic {
public:
  using Value = mlir::Value;

  IndexArithmetic(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() const { return builder; }
  mlir::Location getLoc() const { return loc; }

  Value index(int64_t value) const;
  Value add(Value a, Value b) const;
  Value add(Value a, int64_t b) const { return add(a, index(b)); }
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  Value mul(Value a, int64_t b) const { return mul(a, index(b)); }
  Value div(Value a, Value b) const;
  Value div(Value a, int64_t b) const { return div(a, index(b)); }
  Value rem(Value a, Value b) const;
  Value rem(Value a, int64_t b) const { return rem(a, index(b)); }
  Value min(Value a, Value b) const;
  Value max(Value a, Value b) const; ///< of signed indices
  Value isEqual(Value a, Value b) const;
  Value isLess(Value a, Value b) const; ///< of signed indices
  /// The same of indices that are not negative.
  Value isBelow(Value a, Value b) const;
  Value select(Value condition, Value a, Value b) const;
  // Conditions, of type i1.
  Value constantTrue() const;
  Value both(Value a, Value b) const;
  Value isNot(Value a) const;

  /// An index as an integer of `type` and back.
  Value cast(Value a, mlir::Type type) const;

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace accel

#endif
