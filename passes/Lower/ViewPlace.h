// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of elements of views, computed while a kernel runs.
#ifndef ACCEL_PASSES_LOWER_VIEWPLACE_H
#define ACCEL_PASSES_LOWER_VIEWPLACE_H

#include "passes/Analysis/TensorAccess.h"
#include "passes/Lower/IndexArithmetic.h"

namespace accel {

/// Where index `index` of `view`, counted in row-major order, is found, from
/// the view's offset on.
mlir::Value getPlace(const IndexArithmetic &t, const AffineView &view,
                     mlir::Value index);

} // namespace accel

#endif
