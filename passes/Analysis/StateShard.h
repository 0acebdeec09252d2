// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a segment's slot is cut over ranks.
#ifndef ACCEL_PASSES_ANALYSIS_STATESHARD_H
#define ACCEL_PASSES_ANALYSIS_STATESHARD_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

namespace accel {

/// Null if every rank has all of `state` and all of it is its business.
plan::ShardAttr getStateShard(StateOp state);

} // namespace accel

#endif
