// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attention is cut on a GPU: into rows.
#ifndef ACCEL_PASSES_TARGET_CUDA_ATTENTIONROWS_H
#define ACCEL_PASSES_TARGET_CUDA_ATTENTIONROWS_H

#include "passes/Analysis/AttentionSizes.h"

namespace accel {

/// Tiles of an attention: one for each query of a head; of a gradient, behind
/// these, one for each key of a key head.
struct AttentionRows : AttentionSizes {
  static AttentionRows get(mlir::Operation *op) {
    return {AttentionSizes::get(op)};
  }

  int64_t queryTiles() const { return batch * heads * rows; }
  int64_t keyTiles() const {
    return isGradient ? batch * keyHeads * columns : 0;
  }
};

} // namespace accel

#endif
