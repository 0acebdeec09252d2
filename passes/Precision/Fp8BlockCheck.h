// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the scales of a product's blocks are those of its operands. Shares
// nothing with the pass that inserts scales.
#ifndef ACCEL_PASSES_PRECISION_FP8BLOCKCHECK_H
#define ACCEL_PASSES_PRECISION_FP8BLOCKCHECK_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Whether the scales of operand `index` of `product`, 0 or 1, undo what was
/// done to its blocks of `block` elements of the summed index before they were
/// rounded, and each block was scaled for its own largest magnitude. Of a
/// parameter: whether they are those of its squares.
bool areScalesOf(MatmulOp product, unsigned index, int64_t block);

} // namespace accel

#endif
