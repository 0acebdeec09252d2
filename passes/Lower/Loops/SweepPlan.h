// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In how many sweeps a row is computed, and what each of them stores.
#ifndef ACCEL_PASSES_LOWER_LOOPS_SWEEPPLAN_H
#define ACCEL_PASSES_LOWER_LOOPS_SWEEPPLAN_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {

/// The sweeps over a row of a kernel. A value's level is the number of row
/// reductions one after the other that it needs: sweep n computes the
/// reductions of values of level n.
///
/// Element-wise values are computed again in every sweep that needs them,
/// except for what an earlier sweep has left in memory: a result, or, where
/// that saves an exponential or the like, an intermediate value in the memory
/// of a result that comes later.
///
/// A result may lie where an operand lies. So nothing is stored before the last
/// sweep unless no later sweep reads an operand of the results' size.
class SweepPlan {
public:
  struct Store {
    mlir::Value tensor;
    unsigned result; ///< whose buffer it goes to
    bool isResult;   ///< or an intermediate value
  };
  struct Step {
    llvm::SmallVector<mlir::Operation *> reductions;
    llvm::SmallVector<Store> stores;
  };

  SweepPlan(mlir::func::FuncOp kernel, const IterationDomain &shape);

  llvm::ArrayRef<Step> getSteps() const { return steps; }

private:
  using ValueSet = llvm::SmallVector<mlir::Value>;

  unsigned levelOf(mlir::Value value);
  bool isFull(mlir::Value value) const;
  bool isExpensive(mlir::Value value, llvm::ArrayRef<mlir::Value> stored);
  ValueSet targetsAfter(unsigned step) const;
  bool readsOperands(mlir::Value target,
                     llvm::ArrayRef<mlir::Value> stored) const;
  void collectWorthStoring(mlir::Value target, unsigned step,
                           llvm::ArrayRef<mlir::Value> stored, ValueSet &found);
  void placeResults();
  void placeIntermediates();

  mlir::func::FuncOp kernel;
  IterationDomain shape;
  mlir::ValueRange results;
  llvm::SmallVector<Step> steps;
  llvm::DenseMap<mlir::Value, unsigned> levels;
};

} // namespace accel

#endif
