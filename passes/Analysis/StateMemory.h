// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a state takes of a rank's memory: how a segment's slot is cut over
// ranks, and what its bytes count as.
#ifndef ACCEL_PASSES_ANALYSIS_STATEMEMORY_H
#define ACCEL_PASSES_ANALYSIS_STATEMEMORY_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

namespace accel {

/// Null if every rank has all of `state` and all of it is its business.
plan::ShardAttr getStateShard(StateOp state);

/// How many elements of its segment each element of `slot` is for; 1 where the
/// segment has no master.
int64_t getSlotBlock(StateOp slot);

/// Whether `write` sets a slot with one element for each block to zero. It is
/// filled: tiles of kernels do not fit into ranks' parts of it.
bool isFill(WriteOp write);

/// The number of the layer whose bucket has `slot`; none if it is that of no
/// repeated block.
std::optional<int64_t> getStateLayer(StateOp slot);

/// The class of its buffer.
plan::MemoryClass getStateClass(StateOp state);

/// The parameters of the segment that `slot` is a slot of.
llvm::SmallVector<ParameterOp> getSegmentParameters(StateOp slot);

} // namespace accel

#endif
