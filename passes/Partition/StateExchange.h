// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks must exchange of each state, and where in a step.
#ifndef ACCEL_PASSES_PARTITION_STATEEXCHANGE_H
#define ACCEL_PASSES_PARTITION_STATEEXCHANGE_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/IR/SymbolTable.h"

namespace accel {

enum class StateExchange {
  None,
  ReduceBehindLoop,   ///< what microbatches have added, summed for everybody
  MaximumBehindLoop,  ///< the largest that they have found, for everybody
  ScatterBehindLoop,  ///< the same, to each rank its part
  ScatterInLoop,      ///< the same, of one microbatch
  ReduceBehindWrite,  ///< each rank has written its share of a sum, or maximum
  GatherBehindUpdate, ///< each rank has updated its part
  GatherInLoop        ///< each rank holds its part, microbatches read all
};

inline StateExchange getExchange(StateOp state) {
  using dist::Holding;
  Holding holding = dist::getHolding(state);
  if (state.getKind() == StateKind::Accumulator) {
    return StateExchange::ReduceBehindLoop;
  }
  if (state.getKind() == StateKind::AccumulatorMax) {
    return StateExchange::MaximumBehindLoop;
  }
  if (state.getKind() == StateKind::Partial ||
      state.getKind() == StateKind::PartialMax) {
    return StateExchange::ReduceBehindWrite;
  }
  if (state.isGradient()) {
    return holding == Holding::All     ? StateExchange::ReduceBehindLoop
           : holding == Holding::Whole ? StateExchange::ScatterBehindLoop
                                       : StateExchange::ScatterInLoop;
  }
  if (state.isRead()) {
    return holding == Holding::All     ? StateExchange::None
           : holding == Holding::Whole ? StateExchange::GatherBehindUpdate
                                       : StateExchange::GatherInLoop;
  }
  return StateExchange::None;
}

/// The state that `op`, a read, a write or an accumulation, touches: that of
/// the name, or the slot in which the parameter of the name lies. Null if it
/// touches none.
StateOp findTouchedState(const mlir::SymbolTable &symbols, mlir::Operation *op);

} // namespace accel

#endif
