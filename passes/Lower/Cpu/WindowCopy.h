// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies parts of matrices that are views of windows: what a product packs of
// them next.
#ifndef ACCEL_PASSES_LOWER_CPU_WINDOWCOPY_H
#define ACCEL_PASSES_LOWER_CPU_WINDOWCOPY_H

#include "passes/Analysis/WindowMatrix.h"
#include "passes/Lower/Cpu/ProductLayout.h"
#include "passes/Lower/Cpu/TileCode.h"

namespace accel {

/// Copies `rows` and `columns` of `windows`, as they lie in `from`, to `to`, of
/// the same type, whose rows lie `to.stride` apart.
void copyWindows(const TileCode &t, const WindowMatrix &windows,
                 const ProductMatrix &from, const ProductRange &rows,
                 const ProductRange &columns, const ProductMatrix &to);

} // namespace accel

#endif
