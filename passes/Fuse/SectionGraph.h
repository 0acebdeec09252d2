// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must come before what among the operations of a section.
#ifndef ACCEL_PASSES_FUSE_SECTIONGRAPH_H
#define ACCEL_PASSES_FUSE_SECTIONGRAPH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace accel {

/// Borrows: the operations.
class SectionGraph {
public:
  using Operations = llvm::SmallVector<mlir::Operation *>;

  /// Starts again with `ops`, each after the producers of its operands.
  void reset(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds operations without edges.
  void insert(llvm::ArrayRef<mlir::Operation *> ops);
  bool contains(mlir::Operation *op) const { return known.contains(op); }
  void addEdge(mlir::Operation *from, mlir::Operation *to);

  /// Direct neighbours; only operations of the section.
  llvm::ArrayRef<mlir::Operation *> getPredecessors(mlir::Operation *op) const;
  llvm::ArrayRef<mlir::Operation *> getSuccessors(mlir::Operation *op) const;

  /// Whether `to` comes after `from`, or is it.
  bool reaches(mlir::Operation *from, mlir::Operation *to) const;

private:
  llvm::DenseSet<mlir::Operation *> known;
  llvm::DenseMap<mlir::Operation *, Operations> predecessors;
  llvm::DenseMap<mlir::Operation *, Operations> successors;
};

} // namespace accel

#endif
