// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other numbers of samples say of a loss: it tells the numbers that grow
// with the samples from those in the model's text, and what mixes samples from
// what only looks like one sample's because there is no other.
#ifndef ACCEL_PASSES_DIFFERENTIATE_LOSSCOMPARISON_H
#define ACCEL_PASSES_DIFFERENTIATE_LOSSCOMPARISON_H

#include "passes/Differentiate/LossForm.h"

namespace accel {

/// Decides of every sum of `loss`, matched with `batch` samples, whether it is
/// a mean over them: then its number is as much smaller in `others` as there
/// are more samples. A number that stays is a factor of a mere sum. What
/// depends on the number of samples in another way fails, with the reason in
/// `reason`: so do numbers within that only one of several others has.
mlir::LogicalResult reconcile(GraphLoss &loss, int64_t batch,
                              llvm::ArrayRef<OtherBatch> others,
                              std::string &reason);

} // namespace accel

#endif
