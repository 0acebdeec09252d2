// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other looks at a model, with other numbers of samples in a microbatch.
#ifndef ACCEL_COMPILER_OTHERBATCHES_H
#define ACCEL_COMPILER_OTHERBATCHES_H

#include "compiler/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace accel {

/// Records in `module`, as the frontend left it, what the model's own loss is
/// made of in `others`, the same model with other batches, which phase Import
/// changes: attribute `accel.other_batches`, which AttachObjective reads.
/// Records nothing if the objective is no such loss, or, with a remark, if
/// Import fails on one of them.
void recordOtherBatches(
    mlir::ModuleOp module,
    llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> others,
    const CompilerOptions &options);

} // namespace accel

#endif
