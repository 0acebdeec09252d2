// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the loop over the rows of a group can serve.
#ifndef ACCEL_PASSES_FUSE_ROWLOOP_H
#define ACCEL_PASSES_FUSE_ROWLOOP_H

#include "passes/Fuse/FusionPlan.h"

namespace accel {

/// Whether an operation can be computed in rows of some length.
struct RowFit {
  bool isPossible = true; ///< once these operands are copied
  llvm::SmallVector<mlir::Value> copied;

  bool fits() const { return isPossible && copied.empty(); }
};

/// Whether every operand of `op`, which has so many elements, can be walked in
/// rows of `columns`.
RowFit fitRows(const FusionSection &section, mlir::Operation *op,
               int64_t elements, int64_t columns);

/// The same for all of `group`, as they are.
bool fitsRows(const FusionSection &section, const FusionGroup &group,
              int64_t columns);

/// Whether `op` can share the loop of `group` by way of `operand`, if rows have
/// `columns` elements (0: not fixed).
Decision joinsRows(const FusionSection &section, const Target &target,
                   const FusionGroup &group, mlir::Operation *op,
                   mlir::Value operand, int64_t columns);

} // namespace accel

#endif
