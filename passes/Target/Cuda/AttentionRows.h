// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attention is cut on a GPU: into rows.
#ifndef ACCEL_PASSES_TARGET_CUDA_ATTENTIONROWS_H
#define ACCEL_PASSES_TARGET_CUDA_ATTENTIONROWS_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Sizes of an attention, and its tiles: one for each query of a head; of a
/// gradient, behind these, one for each key of a key head.
struct AttentionRows {
  int64_t batch, heads, keyHeads; ///< key head i serves `group` heads
  int64_t queries, keys;          ///< of a sample
  int64_t depth, width;           ///< of a query, of a value
  bool causal, isGradient;

  /// Of an attention or of its gradient.
  static AttentionRows get(mlir::Operation *op);

  int64_t group() const { return heads / keyHeads; }
  /// Query i sees keys up to i + offset.
  int64_t offset() const { return keys - queries; }
  int64_t queryTiles() const { return batch * heads * queries; }
  int64_t keyTiles() const { return isGradient ? batch * keyHeads * keys : 0; }
};

} // namespace accel

#endif
