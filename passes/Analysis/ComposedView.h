// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of views as one: where the elements of a tensor come from that
// several transposes and reshapes lie between.
#ifndef ACCEL_PASSES_ANALYSIS_COMPOSEDVIEW_H
#define ACCEL_PASSES_ANALYSIS_COMPOSEDVIEW_H

#include "passes/Analysis/TensorAccess.h"

namespace accel {

/// All of `value`, in row-major order, as one affine view of `root`. It may
/// have more dimensions than either: tokens of heads that become rows of
/// features, 2x4x16x8 as 32x32, are a view of the sizes 2x16x4x8. Nothing
/// where no affine view describes the chain, or a slice of another view is a
/// part of it.
std::optional<AffineView> getComposedView(mlir::Value value, mlir::Value root);

} // namespace accel

#endif
