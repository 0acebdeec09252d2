// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second look at a model, with another number of samples in a microbatch.
#ifndef ACCEL_COMPILER_OTHERBATCH_H
#define ACCEL_COMPILER_OTHERBATCH_H

#include "compiler/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Records in `module`, as the frontend left it, what the model's own loss is
/// made of in `other`, the same model with another batch, which phase Import
/// changes: attribute `accel.other_batch`, which AttachObjective reads. Records
/// nothing if the objective is no such loss, or, with a remark, if Import fails
/// on `other`.
void recordOtherBatch(mlir::ModuleOp module, mlir::ModuleOp other,
                      const CompilerOptions &options);

} // namespace accel

#endif
