// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion planner: which operations of a straight-line section share a
// kernel.
#ifndef ACCEL_PASSES_FUSE_KERNELCLUSTERS_H
#define ACCEL_PASSES_FUSE_KERNELCLUSTERS_H

#include "dialects/Accel/IR/AccelInterfaces.h"
#include "passes/Fuse/EarliestReached.h"
#include "passes/Fuse/SectionGraph.h"
#include "passes/Target/Target.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace accel {

/// The loop that a kernel runs.
enum class KernelKind {
  Rows,      ///< element-wise, perhaps with reductions over rows
  Columns,   ///< sums over rows, one per column
  Concat,    ///< rows put together from parts
  Attention, ///< attention or its gradient, and how its results are laid out
  Product    ///< a matrix product, and what is computed of its elements
};

/// Operations that become one kernel.
struct Cluster {
  KernelKind kind = KernelKind::Rows;
  int64_t elements = 0; ///< of the iteration space
  int64_t columns = 0;  ///< of a row; 0 while no reduction has fixed it
  bool open = true;     ///< whether other operations may join
  llvm::SmallVector<mlir::Operation *> ops;

  int64_t rows() const { return columns == 0 ? elements : elements / columns; }
};

/// Why an operation did not join the kernel of one that it reads.
struct Refusal {
  mlir::Operation *op, *producer;
  std::string reason;
};

/// Plans one section: operations of a block between (and without) its loops.
/// Borrows: the operations and the target.
///
/// A cluster never depends on itself through an operation outside it; `check`
/// proves that and that every member's accesses can be made by the cluster's
/// loop.
class ClusterPlanner {
public:
  ClusterPlanner(llvm::ArrayRef<mlir::Operation *> section,
                 const Target &target);

  /// Plans. May insert operations (copies in front of sinks, private producers
  /// of column sums) into the section.
  void plan();

  /// The clusters and, for every operation in one, its number.
  const std::vector<Cluster> &getClusters() const { return clusters; }
  const llvm::DenseMap<mlir::Operation *, unsigned> &getClusterOf() const {
    return clusterOf;
  }

  /// The section after planning, in an order in which it can be executed
  /// (clusters by any of their members).
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

  /// Whether `holds` for anybody who reads `value`, through views that are not
  /// copied.
  bool isReadBy(mlir::Value value,
                llvm::function_ref<bool(mlir::Operation *)> holds) const;
  /// Whether that is anybody who is not in cluster `number`.
  bool isUsedOutside(mlir::Value value, unsigned number) const;

  /// Where the views that `value` is made by begin: another operation's result,
  /// a kernel's, or a value from outside.
  mlir::Value getRoot(mlir::Value value) const;

  /// What was asked and refused, for those whose operations are in different
  /// kernels now.
  std::vector<Refusal> getRefusals() const;

  /// Operations that must come before `op`: producers of its operands and
  /// conflicting accesses to symbols.
  llvm::ArrayRef<mlir::Operation *> getPredecessors(mlir::Operation *op) const {
    return graph.getPredecessors(op);
  }

  /// Whether an operation is made anew wherever it is used: splat constants and
  /// indices.
  static bool isSource(mlir::Operation *op);

  /// Whether an operation is a matrix product with a kernel of its own.
  static bool isProduct(mlir::Operation *op);

private:
  // preparation
  void isolateSinks();
  void addSymbolOrder();

  // planning
  bool isCompute(mlir::Operation *op) const;
  void place(mlir::Operation *op);
  void placeElementwise(mlir::Operation *op);
  void placeRowReduction(mlir::Operation *op);
  void placeColumns(mlir::Operation *op);
  void placeAttention(mlir::Operation *op);
  void placeProduct(mlir::Operation *op);
  void placeCopy(mlir::Operation *op);

  // epilogues of products
  using OperationSet = llvm::SetVector<mlir::Operation *>;
  void placeEpilogues();
  OperationSet findEpilogue(mlir::Operation *product, unsigned number) const;
  bool followsProduct(mlir::Operation *op, mlir::Operation *product,
                      const OperationSet &epilogue) const;
  void reportRefusedEpilogues(MatmulOp product);
  void moveToProduct(const OperationSet &epilogue, unsigned number,
                     unsigned product);
  void move(mlir::Operation *op, unsigned to);

  void refuse(mlir::Operation *op, mlir::Value operand, llvm::StringRef reason);
  Decision joins(const Cluster &cluster, mlir::Operation *op,
                 mlir::Value operand, int64_t columns) const;
  bool allowsColumns(const Cluster &cluster, int64_t columns) const;
  bool
  operandsAllowColumns(mlir::Operation *op, int64_t elements, int64_t columns,
                       llvm::SmallVectorImpl<mlir::Value> &offending) const;
  void merge(llvm::ArrayRef<unsigned> numbers, mlir::Operation *op,
             int64_t elements, int64_t columns);
  bool closesCycle(llvm::ArrayRef<unsigned> numbers, mlir::Operation *op) const;
  size_t findLastEntry(mlir::Operation *op,
                       const llvm::DenseSet<mlir::Operation *> &members) const;
  size_t firstBehind(mlir::Operation *outside) const;
  bool waitsForOthers(mlir::Operation *op,
                      const llvm::DenseSet<mlir::Operation *> &members) const;
  llvm::ArrayRef<mlir::Operation *> getKernel(mlir::Operation *const &op) const;
  bool isStored(mlir::Value value, unsigned cluster) const;
  mlir::Value
  clonePrologue(mlir::Value value, bool isRow, int64_t columns,
                mlir::Operation *before,
                llvm::SmallVectorImpl<mlir::Operation *> &clones) const;
  void insertPrologue(mlir::Operation *op, int64_t elements, int64_t columns,
                      unsigned number);
  void eraseUnused();
  unsigned start(mlir::Operation *op, KernelKind kind, int64_t elements,
                 int64_t columns, bool open);
  void
  collectDependents(mlir::Operation *op,
                    llvm::SmallVectorImpl<mlir::Operation *> &dependents) const;
  mlir::Operation *insertCopy(mlir::Value value, mlir::Operation *user);
  void materialize(mlir::Value value, mlir::Operation *user);
  void materializeContiguous(mlir::Operation *op);
  void materializeUnreadable(mlir::Operation *op);

  const Target &target;
  std::vector<Refusal> refusals;
  std::vector<mlir::Operation *> ops;
  std::vector<Cluster> clusters;
  llvm::DenseMap<mlir::Operation *, unsigned> clusterOf;
  llvm::DenseMap<mlir::Value, mlir::Operation *> copies;
  SectionGraph graph;                                  ///< of `ops`
  llvm::DenseMap<mlir::Operation *, size_t> positions; ///< among `ops`
  bool allPlaced = false; ///< every operation that has a cluster is in it
  EarliestReached earliest{
      graph, [this](mlir::Operation *const &op) { return getKernel(op); }};
  llvm::DenseSet<mlir::Value>
      materialized; ///< results of views that are copied
};

/// How an operation fuses with others; random ones element by element.
FusionKind getFusionKindOf(mlir::Operation *op);

/// Whether a reduction sums leading dimensions (for each column) rather than
/// trailing ones (for each row).
bool isColumnReduction(mlir::Operation *op);

/// Elements of a row that a reduction over trailing dimensions sums.
int64_t getReducedColumns(mlir::Operation *op);

} // namespace accel

#endif
