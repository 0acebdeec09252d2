// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the kernels of a section are launched, and the proof that
// there is one.
#ifndef ACCEL_PASSES_FUSE_KERNELORDER_H
#define ACCEL_PASSES_FUSE_KERNELORDER_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <queue>
#include <vector>

namespace accel {

/// Kernels, and operations that are in none, each behind what it reads; among
/// those that may come next, the one that ends first. Counts who waits for
/// whom, operation by operation, and shares nothing with the planner.
/// Borrows: the operations.
class KernelOrder {
public:
  using Operations = llvm::ArrayRef<mlir::Operation *>;

  /// `kernelOf` has the number of each operation's kernel, if it is in one;
  /// `predecessors` what an operation must come behind.
  KernelOrder(Operations ops,
              const llvm::DenseMap<mlir::Operation *, unsigned> &kernelOf,
              llvm::function_ref<Operations(mlir::Operation *)> predecessors);

  /// In order, the operations of each kernel or one that is in none. Where
  /// there is a cycle, those that do not wait for it.
  llvm::ArrayRef<Operations> getNodes() const { return order; }

  /// One operation of each kernel of a cycle of kernels that wait for each
  /// other; empty if there is none.
  Operations getCycle() const { return cycle; }

private:
  using Entry = std::pair<unsigned, unsigned>; ///< last operation, node

  void collect(Operations ops,
               const llvm::DenseMap<mlir::Operation *, unsigned> &kernelOf);
  void waitFor(mlir::Operation *op, mlir::Operation *producer);
  void sort();
  void findCycle();

  llvm::DenseMap<mlir::Operation *, unsigned> nodeOf;
  std::vector<llvm::SmallVector<mlir::Operation *>> members;
  std::vector<llvm::SetVector<unsigned>> successors;
  std::vector<unsigned> waiting, last;
  std::vector<Operations> order;
  llvm::SmallVector<mlir::Operation *> cycle;
};

} // namespace accel

#endif
