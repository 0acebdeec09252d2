// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of windows before kernels are planned: sums of windows, and
// reductions over the elements of a window, are arithmetic on views that each
// take one element of every window.
#ifndef ACCEL_PASSES_FUSE_EXPANDWINDOWS_H
#define ACCEL_PASSES_FUSE_EXPANDWINDOWS_H

#include "mlir/IR/PatternMatch.h"

namespace accel {

/// Adds the patterns. They bring forth `accel.pad` and leave no
/// `accel.sum_windows`.
void populateWindowExpansions(mlir::RewritePatternSet &patterns);

} // namespace accel

#endif
