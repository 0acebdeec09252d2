// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loss that the model computes itself, taken apart into losses and what their
// sum is divided by.
#ifndef ACCEL_PASSES_DIFFERENTIATE_GRAPHLOSS_H
#define ACCEL_PASSES_DIFFERENTIATE_GRAPHLOSS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace accel {

/// The scalar is the sum of `losses` divided by the sum of `counts`, or by
/// `perSample` times the samples of the microbatch. A mere sum has perSample 1:
/// what is trained is its mean over the samples.
struct GraphLoss {
  mlir::Value losses; ///< of any shape; blocks of its first dimension belong to
                      ///< the samples one by one
  mlir::Value counts; ///< null: `perSample`; likewise
  int64_t perSample = 1;
};

/// Takes the number `scalar`, computed in `forward` from `batch` samples,
/// apart. If it is no such quotient, or mixes samples, the reason goes to
/// `reason`.
mlir::FailureOr<GraphLoss> matchGraphLoss(mlir::func::FuncOp forward,
                                          mlir::Value scalar, int64_t batch,
                                          std::string &reason);

} // namespace accel

#endif
