// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run may set a hyperparameter to, and who reads it.
#ifndef ACCEL_DIALECTS_ACCEL_IR_HYPERPARAMETERMEANING_H
#define ACCEL_DIALECTS_ACCEL_IR_HYPERPARAMETERMEANING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace accel {

/// On an `accel.state` that is a hyperparameter: a dictionary with what it
/// means beyond a number that is not negative. A state without it is such a
/// number, which every schedule reads.
///
///   accel.meaning = {choices = ["constant", "linear"], integer}
///   accel.meaning = {defaults_to_steps, integer, read_by = ["wsd"]}
inline constexpr llvm::StringLiteral kMeaningAttr = "accel.meaning";

struct HyperparameterMeaning {
  /// What the numbers 0, 1, ... are called; empty: numbers are numbers.
  llvm::SmallVector<llvm::StringRef> choices;
  /// The choices of state @schedule with which it is read; empty: with all.
  llvm::SmallVector<llvm::StringRef> readBy;
  bool isInteger = false;
  /// Whether a run sets it to the number of its steps if nobody says otherwise.
  bool defaultsToSteps = false;

  /// That of `state`, as the verifier of the dialect knows it.
  static HyperparameterMeaning get(mlir::Operation *state);
  /// Null if there is nothing to say.
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// Verifies `value`, the attribute of that name on `op`.
llvm::LogicalResult verifyMeaning(mlir::Operation *op, mlir::Attribute value);

} // namespace accel

#endif
