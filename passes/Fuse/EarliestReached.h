// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far back, in program order, anything leads that comes after a kernel.
#ifndef ACCEL_PASSES_FUSE_EARLIESTREACHED_H
#define ACCEL_PASSES_FUSE_EARLIESTREACHED_H

#include "passes/Fuse/SectionGraph.h"

#include <functional>
#include <utility>

namespace accel {

/// For each kernel, and each operation that is in none: the earliest position
/// of what is in it or comes after it, kernels being one step. What reaches
/// only later positions than another kernel has cannot lead back to that one;
/// so a search for cycles stays near where it began.
///
/// Borrows: the graph.
class EarliestReached {
public:
  using Operations = llvm::SmallVector<mlir::Operation *>;
  /// Of a kernel: all its operations; else the operation alone.
  using NodeOf = std::function<llvm::ArrayRef<mlir::Operation *>(
      mlir::Operation *const &)>;

  EarliestReached(const SectionGraph &graph, NodeOf nodeOf)
      : graph(graph), nodeOf(std::move(nodeOf)) {}
  EarliestReached(const EarliestReached &) = delete;
  EarliestReached &operator=(const EarliestReached &) = delete;

  /// Requires: kernels do not wait for each other in a cycle.
  void compute(llvm::ArrayRef<mlir::Operation *> ops,
               const llvm::DenseMap<mlir::Operation *, size_t> &positions);
  /// `op`, and perhaps others of its kernel, have moved there: what a member of
  /// the kernel waits for now comes before all of it.
  void moved(mlir::Operation *op);

  /// Requires: `op` was there when it was computed.
  size_t get(mlir::Operation *op) const { return earliest.lookup(op); }

private:
  void set(llvm::ArrayRef<mlir::Operation *> node, size_t position);
  size_t
  earliestOf(llvm::ArrayRef<mlir::Operation *> node,
             const llvm::DenseMap<mlir::Operation *, size_t> &positions) const;

  const SectionGraph &graph;
  const NodeOf nodeOf;
  llvm::DenseMap<mlir::Operation *, size_t> earliest;
};

} // namespace accel

#endif
