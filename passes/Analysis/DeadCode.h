// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removal of what a rewrite left without a reader.
#ifndef ACCEL_PASSES_ANALYSIS_DEADCODE_H
#define ACCEL_PASSES_ANALYSIS_DEADCODE_H

#include "mlir/IR/Iterators.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace accel {

/// Erases every operation inside `root` that has neither readers nor effects,
/// and what only such operations read.
inline void eraseDeadCode(mlir::Operation *root) {
  root->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>(
      [&](mlir::Operation *op) {
        if (op != root && mlir::isOpTriviallyDead(op)) {
          op->erase();
        }
      });
}

} // namespace accel

#endif
