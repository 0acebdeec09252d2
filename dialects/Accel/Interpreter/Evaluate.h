// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a single operation of the `accel` dialect computes, by the definition in
// its documentation and without any code of the lowerings. Import folds
// constants with it; Interpreter.h runs whole functions.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_EVALUATE_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_EVALUATE_H

#include "dialects/Accel/Interpreter/HostTensor.h"

#include "mlir/IR/Operation.h"

namespace accel {

/// The results of the pure operation `op` (all of the dialect's but those that
/// read or write symbols, inputs and metrics) for `operands`, one tensor per
/// operand in order, absent optional operands left out.
///
/// Emits an error on the operation and fails if it is not pure, if an operand
/// does not have the type that the operation wants, if an index lies outside
/// its table or a divisor is zero, or if a result is larger than `maxElements`
/// - before anything is allocated. Requires: `op` is verified. Cost: linear in
/// the elements of operands and results (products: multiply-adds), 8 bytes per
/// element.
mlir::FailureOr<llvm::SmallVector<HostTensor>>
evaluate(mlir::Operation *op, llvm::ArrayRef<HostTensor> operands,
         int64_t maxElements = kMaxHostElements);

/// The elements of a constant or of indices, also under broadcasts, reshapes
/// and transposes; none of anything else, or if they are not in memory or too
/// many.
std::optional<HostTensor> evaluateConstant(mlir::Value value);

/// Whether a constant for the results of `op` would cost more than computing
/// them in every step: comparisons, choices and logic, sums of integers, and
/// views, of more than 2^20 elements. Masks of long sequences are such. They
/// have the same bits on every machine.
bool isCheaperComputed(mlir::Operation *op);

} // namespace accel

#endif
