// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop over neighbouring elements: a one-dimensional linalg.generic while
// it is being put together.
#ifndef ACCEL_PASSES_LOWER_LOOPS_SWEEP_H
#define ACCEL_PASSES_LOWER_LOOPS_SWEEP_H

#include "passes/Lower/Loops/Combination.h"
#include "passes/Lower/Loops/KernelEmitter.h"
#include "passes/Lower/Loops/SweepWindows.h"

#include "llvm/ADT/MapVector.h"

#include <memory>

namespace accel {

/// Collects loads, arithmetic, stores and reductions, and emits them as one
/// operation. Values that are the same for all elements are computed once, in
/// front of it. In the loop all loads come before all stores, which is what
/// lets a result lie where an operand lies.
class Sweep {
public:
  Sweep(KernelEmitter &emitter, SweepRange range);
  ~Sweep();

  /// The element of `tensor`, which has an element for every one of the
  /// iteration space (or one position for all).
  mlir::Value lane(mlir::Value tensor) { return laneAt(tensor, range.first); }
  /// The element of `tensor` where the run begins at position `first` of it.
  mlir::Value laneAt(mlir::Value tensor, mlir::AffineExpr first);

  /// From now on `tensor` is read from `buffer`, where an earlier sweep has
  /// stored it.
  void setStored(mlir::Value tensor, mlir::Value buffer) {
    stored[tensor] = buffer;
  }

  /// The same of a buffer that holds no more than the elements of this sweep.
  void setWhole(mlir::Value tensor, mlir::Value buffer) {
    wholes[tensor] = buffer;
  }

  /// Stores `lane` in `buffer` from position `first` (and `inner`) on.
  void store(mlir::Value lane, mlir::Value buffer, mlir::AffineExpr first,
             const Storing &storing);
  /// The same for a buffer that holds no more than the elements of this sweep.
  void storeWhole(mlir::Value lane, mlir::Value buffer, const Storing &storing);
  /// The current content of such a buffer.
  mlir::Value loadWhole(mlir::Value buffer, mlir::Type element);

  /// Takes all elements into `accumulator`, a memref of rank 0.
  void reduce(mlir::vector::CombiningKind combination, mlir::Value lane,
              mlir::Value accumulator);

  /// Emits the loop. Nothing is emitted if nothing is stored.
  void finish();

private:
  struct Output {
    mlir::Value
        buffer; ///< a view of as many elements as the sweep has, or of rank 0
    mlir::Value lane;
    Storing storing;
    std::optional<mlir::vector::CombiningKind> combination;
  };

  mlir::Value computeLane(mlir::Value tensor, mlir::AffineExpr first);
  mlir::Value computeOp(mlir::Operation *op, mlir::AffineExpr first);
  mlir::Value computeIota(IotaOp op, mlir::AffineExpr first);
  mlir::Value computeGather(GatherOp op, mlir::AffineExpr first);
  template <typename OpTy>
  mlir::Value computeRandom(OpTy op, mlir::Value operand,
                            mlir::AffineExpr first);
  mlir::Value computeElement(mlir::Operation *op, mlir::AffineExpr first);
  mlir::Value widen(mlir::Value lane, mlir::Type from, mlir::Type to);
  mlir::Value stream(mlir::Value buffer, mlir::AffineExpr first,
                     mlir::Type element);
  mlir::Value input(mlir::Value window, mlir::Type element);
  /// The place of the element, counted from `first`, in integers of `type`.
  mlir::Value place(mlir::AffineExpr first, mlir::Type type);
  mlir::Value combine(const Output &output, mlir::Value current);
  bool isUniform(mlir::Value value) const {
    return value.getParentBlock() != body.get();
  }

  KernelEmitter &emitter;
  SweepRange range;
  mlir::Location loc;
  std::unique_ptr<mlir::Block> body;
  mlir::OpBuilder inside;
  SweepWindows windows;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineExpr>, mlir::Value> lanes;
  llvm::MapVector<mlir::Value, mlir::Value> inputs; ///< window -> body argument
  llvm::DenseMap<mlir::Value, mlir::Value> stored, wholes;
  llvm::SmallVector<Output> outputs;
};

} // namespace accel

#endif
