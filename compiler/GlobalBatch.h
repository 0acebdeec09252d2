// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the samples of a step make microbatches that the model can take.
#ifndef ACCEL_COMPILER_GLOBALBATCH_H
#define ACCEL_COMPILER_GLOBALBATCH_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace accel {

/// Fails after an error if `module` cannot fill a microbatch up and one rank
/// cannot split the samples into whole ones: then no number of ranks can. So it
/// does if the last microbatch has too few samples for a batch norm.
/// Requires: the module has its objective.
mlir::LogicalResult checkGlobalBatch(mlir::ModuleOp module,
                                     int64_t globalBatch);

/// What to warn of where much of a step is computed for padding.
std::optional<std::string> describePadding(mlir::ModuleOp module,
                                           int64_t globalBatch);

} // namespace accel

#endif
