// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A straight-line section of a function, as the fusion planner changes it.
#ifndef ACCEL_PASSES_FUSE_FUSIONSECTION_H
#define ACCEL_PASSES_FUSE_FUSIONSECTION_H

#include "passes/Fuse/SectionGraph.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace accel {

/// Operations of a block between (and without) its loops, what must come before
/// what among them, and which views are copied.
/// Borrows: the operations.
class FusionSection {
public:
  explicit FusionSection(llvm::ArrayRef<mlir::Operation *> section);
  FusionSection(const FusionSection &) = delete;
  FusionSection &operator=(const FusionSection &) = delete;

  /// In an order in which they can be executed.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  const SectionGraph &getGraph() const { return graph; }

  /// Where the views that `value` is made by begin: another operation's result,
  /// a kernel's, or a value from outside.
  mlir::Value getRoot(mlir::Value value) const;

  /// A view becomes a kernel's work: its result is copied to memory.
  void markCopied(mlir::Value view) { copied.insert(view); }
  bool isCopied(mlir::Operation *op) const;
  /// Whether `op` is a view and costs nothing.
  bool isFreeView(mlir::Operation *op) const;

  /// The position of `op` when operations were numbered last; 0 for one that is
  /// newer.
  size_t getPosition(mlir::Operation *op) const { return positions.lookup(op); }
  const llvm::DenseMap<mlir::Operation *, size_t> &getPositions() const {
    return positions;
  }
  void numberOps();

  void insertBefore(mlir::Operation *op,
                    llvm::ArrayRef<mlir::Operation *> inserted);
  /// Puts a copy of `value` in front of `user`, which uses it from then on.
  mlir::Operation *insertCopy(mlir::Value value, mlir::Operation *user);
  void addOrder(mlir::Operation *before, mlir::Operation *after) {
    graph.addEdge(before, after);
  }

  /// Copies what the program wants in a place of its own.
  void copyStored();
  /// Copies what is split in many parts that would lie in one piece each, were
  /// it not for the views in front: the steps of a recurrent layer whose
  /// batches come first.
  void copyScattered();
  /// Copies what goes to a symbol where its kernel could not produce it there.
  void isolateSinks();
  /// Finds the order of the operations anew. Inserts copies of values that are
  /// to be written while what was there before is still read.
  void orderOps();
  /// Erases the operations whose results nobody uses; calls `erased` before.
  void eraseUnused(llvm::function_ref<void(mlir::Operation *)> erased);

private:
  bool isProducedInPlace(mlir::Operation *sink) const;
  void orderSink(mlir::Operation *sink,
                 llvm::ArrayRef<mlir::Operation *> reads);

  std::vector<mlir::Operation *> ops;
  SectionGraph graph;
  llvm::DenseMap<mlir::Operation *, size_t> positions;
  llvm::DenseSet<mlir::Value> copied;
};

} // namespace accel

#endif
