// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a reduction: from what each thread of a warp has to the total.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPTOTAL_H
#define ACCEL_PASSES_LOWER_CUDA_WARPTOTAL_H

#include "passes/Lower/Cuda/WarpBody.h"
#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace accel {

/// Combines lanes by halves: lane l with lane l + half of them, until there is
/// one, which every thread gets. Thread t has the lanes of the elements that it
/// takes of a chunk, so which ones depends on the order; that they are combined
/// in this tree does not. Emits at the builder's insertion point. Borrows: it.
class WarpTotal {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  WarpTotal(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::vector::CombiningKind kind)
      : builder(builder), loc(loc), kind(kind), warp(builder, loc),
        indices(builder, loc) {}

  /// `lanes`: those of this thread, a power of two of them.
  Value emit(Values lanes, WarpOrder order) const {
    return order == WarpOrder::Neighbours ? emitOfNeighbours(std::move(lanes))
                                          : emitStrided(std::move(lanes));
  }

private:
  Value emitStrided(Values lanes) const;
  Value emitOfNeighbours(Values lanes) const;
  Value emitUpperHalf(int64_t distance) const;
  Value combine(Value low, Value high) const {
    return mlir::vector::makeArithReduction(builder, loc, kind, low, high);
  }
  /// `own` with what the thread `distance` away gives.
  Value combineExchanged(Value own, Value given, int64_t distance) const {
    return combine(own, warp.exchange(given, distance));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::vector::CombiningKind kind;
  WarpOps warp;
  IndexArithmetic indices;
};

} // namespace accel

#endif
