// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How `evaluate` finds the definition of an operation: one function per family
// of operations, each in a file of its own. Included by the files of this
// folder only.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_OPFAMILIES_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_OPFAMILIES_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/HostTensor.h"

#include <optional>

namespace accel {

using HostTensors = llvm::SmallVector<HostTensor>;

/// No value: the operation is of another family. Failure: an error was emitted.
using Evaluation = std::optional<mlir::FailureOr<HostTensors>>;

/// The operands of an operation under their names.
template <typename Op>
using OperandsOf =
    typename Op::template GenericAdaptor<llvm::ArrayRef<HostTensor>>;

Evaluation evaluateArithmetic(mlir::Operation *op,
                              llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateBits(mlir::Operation *op,
                        llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateLogic(mlir::Operation *op,
                         llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateShape(mlir::Operation *op,
                         llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateReduction(mlir::Operation *op,
                             llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateLinear(mlir::Operation *op,
                          llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateLookup(mlir::Operation *op,
                          llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateNormalization(mlir::Operation *op,
                                 llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateRandom(mlir::Operation *op,
                          llvm::ArrayRef<HostTensor> operands);
Evaluation evaluateAttention(mlir::Operation *op,
                             llvm::ArrayRef<HostTensor> operands);

Evaluation evaluateQuantization(mlir::Operation *op,
                                llvm::ArrayRef<HostTensor> operands);

/// The logarithm of the sum of the exponentials of `row`; -inf if all are -inf
/// or there are none.
double getLogSumExp(llvm::ArrayRef<double> row);

/// The type of result `index`.
inline mlir::RankedTensorType getResultType(mlir::Operation *op,
                                            unsigned index = 0) {
  return llvm::cast<mlir::RankedTensorType>(op->getResult(index).getType());
}

/// Calls `function(element, position)` for every index of `shape` in row-major
/// order: `element` counts from 0, `position` is `offset` plus the sum of index
/// times stride.
template <typename Function>
void forEachStrided(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides, int64_t offset,
                    Function function) {
  if (llvm::is_contained(shape, 0)) {
    return;
  }
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t position = offset;
  for (int64_t element = 0;; ++element) {
    function(element, position);
    int64_t dimension = static_cast<int64_t>(shape.size()) - 1;
    for (; dimension >= 0; --dimension) {
      position += strides[dimension];
      if (++index[dimension] < shape[dimension]) {
        break;
      }
      position -= strides[dimension] * shape[dimension];
      index[dimension] = 0;
    }
    if (dimension < 0) {
      return;
    }
  }
}

} // namespace accel

#endif
