// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of targets that a loss in the graph divides a sum by.
#ifndef ACCEL_PASSES_DIFFERENTIATE_COUNTDIVISOR_H
#define ACCEL_PASSES_DIFFERENTIATE_COUNTDIVISOR_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace accel {

/// The sum of `summands`, times `factor`, divided by all of `divisors`.
struct CountDivisor {
  mlir::Value summands;
  double factor = 1;
  llvm::SmallVector<double> divisors;
};

constexpr llvm::StringLiteral kNoCount =
    "its divisor is neither a number nor a count of targets";

/// Takes a divisor apart: what is counted depends on no parameter, and a bound
/// that keeps it from zero, or what is added for that, changes no count of one
/// target or more. If it is no count, the reason goes to `reason`.
mlir::FailureOr<CountDivisor> matchCountDivisor(mlir::Value divisor,
                                                std::string &reason);

/// Whether `op` changes the type of floats.
bool isFloatCast(mlir::Operation *op);

/// `value` without reshapes, those of one number to more dimensions among them,
/// and the casts that `isCast` accepts.
mlir::Value
strip(mlir::Value value,
      llvm::function_ref<bool(mlir::Operation *)> isCast = isFloatCast);

/// What `value`, stripped, is the sum of; null if it is none.
mlir::Value getSummands(mlir::Value value);

} // namespace accel

#endif
