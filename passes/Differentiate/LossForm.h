// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loss is made of, without its values: to be compared with the same loss
// of microbatches that have another number of samples.
#ifndef ACCEL_PASSES_DIFFERENTIATE_LOSSFORM_H
#define ACCEL_PASSES_DIFFERENTIATE_LOSSFORM_H

#include "passes/Differentiate/GraphLoss.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace accel {

/// The numbers of a loss that was taken apart, of each kind in its order:
/// what a plain sum is multiplied by, its divisors included; what a sum over
/// its count is multiplied by; and what is common to all samples.
struct LossForm {
  llvm::SmallVector<double> sums, counted, common;
};

/// The loss of the same model from `batch` samples.
struct OtherBatch {
  int64_t batch = 0;
  LossForm form;
  llvm::SmallVector<double> within; ///< collectNumbers
  std::string reason;               ///< not empty: it cannot be taken apart
};

/// The form of `loss`, whose numbers are to be compared.
LossForm getForm(const GraphLoss &loss);

/// The numbers that the values of `loss` are computed with, each once:
/// elements of constants, how many elements sums add, and what a mean is
/// divided by beside them. Cost: a walk through all that is computed for the
/// loss.
llvm::SmallVector<double> collectNumbers(const GraphLoss &loss);

/// Records `others` in `module`: `accel.other_batches = [{batch = 12 : i64,
/// sums = array<f64: 0.25>, ...}, {batch = 20 : i64, reason = "it ..."}]`.
void writeOtherBatches(mlir::ModuleOp module,
                       llvm::ArrayRef<OtherBatch> others);
/// What was recorded, which `module` has no longer.
std::vector<OtherBatch> takeOtherBatches(mlir::ModuleOp module);

} // namespace accel

#endif
