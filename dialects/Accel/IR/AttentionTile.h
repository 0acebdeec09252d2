// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile of an attention's scores, on which the meaning of the operation
// depends, whatever it is computed on.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ATTENTIONTILE_H
#define ACCEL_DIALECTS_ACCEL_IR_ATTENTIONTILE_H

#include <cstdint>

namespace accel {

/// Rows and columns of a tile of scores. Dropout deals its random words out by
/// tiles, and code takes the softmax tile by tile: another size would drop
/// other scores and give other bits.
inline constexpr int64_t kAttentionTile = 64;

/// A row of a tile takes the words of so many blocks of Philox, one after the
/// other, of four words each: column j has word j / kAttentionTileBlocks of
/// block j % kAttentionTileBlocks.
inline constexpr int64_t kAttentionTileBlocks = kAttentionTile / 4;

} // namespace accel

#endif
