// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars of an update, and the choice between what it computes and what was
// there: the one place where the state of an optimizer is written.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_UPDATEBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_UPDATEBUILDER_H

#include "dialects/Accel/IR/ScalarBuilder.h"

namespace accel {

/// On a module, a unit attribute: a run of the program goes on after an update
/// that takes no effect, unless it is told otherwise. Without it the run halts.
inline constexpr llvm::StringLiteral kSkipsNonFiniteAttr =
    "accel.skips_nonfinite";

/// Builds the scalars of an update that takes effect only where `isFinite`, a
/// boolean scalar, holds. Elsewhere every state keeps the bits that it had.
/// Borrows: the builder.
class UpdateBuilder : public ScalarBuilder {
public:
  UpdateBuilder(mlir::OpBuilder &builder, mlir::Location loc, Value isFinite)
      : ScalarBuilder(builder, loc), isFinite(isFinite) {}

  /// Writes `value` to state `name` if the update takes effect; else the state
  /// keeps `old`, which is what it holds. The values have any shape. Returns
  /// what is written.
  Value write(llvm::StringRef name, Value value, Value old);
  /// The same for a state that holds numbers as codes. Chosen are numbers, as a
  /// select knows no codes; the code of what a code stands for is that code.
  void writeCodes(llvm::StringRef name, ByteCode code, Value numbers,
                  Value oldNumbers);

  /// Multiplies the counter `power` by `base` and returns the product.
  Value advancePower(llvm::StringRef power, Value base);

private:
  Value choose(Value value, Value old);

  Value isFinite;
};

/// Whether all of `numbers`, which are f64 scalars, are finite: a boolean
/// scalar.
mlir::Value buildIsFinite(ScalarBuilder &scalars,
                          llvm::ArrayRef<mlir::Value> numbers);

} // namespace accel

#endif
