// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states that every rank adds to for itself.
#ifndef ACCEL_PASSES_PARTITION_SUMMEDSTATES_H
#define ACCEL_PASSES_PARTITION_SUMMEDSTATES_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Whether the microbatches of a rank add to `state`, so that the whole is the
/// sum over ranks: accumulators and the gradients of segments.
inline bool isSummedOverRanks(StateOp state) {
  return state.getKind() == "accumulator" || state.getSlot() == "gradient";
}

} // namespace accel

#endif
