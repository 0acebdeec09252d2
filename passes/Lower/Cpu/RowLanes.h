// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many lanes the vectors of a row have.
#ifndef ACCEL_PASSES_LOWER_CPU_ROWLANES_H
#define ACCEL_PASSES_LOWER_CPU_ROWLANES_H

#include "passes/Lower/Loops/RowReductions.h"

namespace accel {

/// Lanes of operations that compute in double: two registers of AVX2, one of
/// AVX-512. A long formula on more would keep no value in a register.
inline constexpr int64_t kLanesOfDoubles = 8;

/// Least number of lanes: below it a vector register is not full.
inline constexpr int64_t kFewestLanes = 16;

/// The least power of two of lanes for `count` elements, at most `lanes`.
int64_t lanesFor(int64_t count, int64_t lanes);

/// The lanes for `op`, whose trip count `divisor` divides, where those of most
/// rows are `lanes`.
int64_t chooseLanes(mlir::linalg::GenericOp op, const RowReductions &reductions,
                    int64_t divisor, int64_t lanes);

} // namespace accel

#endif
