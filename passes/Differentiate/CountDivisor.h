// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of targets that a loss in the graph divides a sum by.
#ifndef ACCEL_PASSES_DIFFERENTIATE_COUNTDIVISOR_H
#define ACCEL_PASSES_DIFFERENTIATE_COUNTDIVISOR_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace accel {

/// `number` times the sum of `summands`, or their mean.
struct CountDivisor {
  mlir::Value summands;
  double number = 1;
  bool isMean = false;
  /// A lower bound is left out that weights, which are not known to be whole
  /// numbers, may be below.
  bool dropsBound = false;
};

/// Takes a divisor apart, computed from `batch` samples: what is counted
/// depends on no parameter, a number says nothing about how many samples there
/// are, and a bound that keeps it from zero, or what is added for that, changes
/// no count of one target or more. If it is no such count, the reason goes to
/// `reason`. Without `batch`, numbers are compared later (LossComparison).
mlir::FailureOr<CountDivisor> matchCountDivisor(mlir::Value divisor,
                                                std::optional<int64_t> batch,
                                                std::string &reason);

/// Whether `number` is a whole one for each of `batch` samples, as sizes are
/// that grow with them. Others are, too, by chance.
bool isPerSample(double number, int64_t batch);

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
