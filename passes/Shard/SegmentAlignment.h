// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layout of segments keeps to: the solver and the verifier both read
// it here, and nothing else of each other.
#ifndef ACCEL_PASSES_SHARD_SEGMENTALIGNMENT_H
#define ACCEL_PASSES_SHARD_SEGMENTALIGNMENT_H

#include "dialects/Accel/IR/Fp8Scale.h"

#include <cstdint>

namespace accel {

/// Parameters begin at multiples of this many elements: one vector of the
/// widest machine, one line of a cache.
inline constexpr int64_t kParameterAlignment = 16;
/// The same of parameters that are read as `compute`, which may be null.
inline int64_t getParameterAlignment(mlir::Type compute) {
  return compute && isFp8(compute) ? kFp8Alignment : kParameterAlignment;
}
/// Segments and their shards are multiples of at least this many elements.
inline constexpr int64_t kSegmentGranule = 128;
static_assert(kSegmentGranule % kFp8Alignment == 0, "one scale for a granule");

} // namespace accel

#endif
