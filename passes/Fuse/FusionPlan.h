// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fusion planner has decided: which operations share a kernel.
#ifndef ACCEL_PASSES_FUSE_FUSIONPLAN_H
#define ACCEL_PASSES_FUSE_FUSIONPLAN_H

#include "passes/Analysis/IterationDomain.h"
#include "passes/Fuse/FusionCycles.h"
#include "passes/Fuse/FusionSection.h"
#include "passes/Target/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace accel {

/// Operations that become one kernel. `kind` is the loop that it runs; Rows
/// stands for Flat as well.
struct FusionGroup {
  LoopKind kind = LoopKind::Rows;
  int64_t elements = 0; ///< of the iteration space
  int64_t columns = 0;  ///< of a row; 0 while nothing has fixed it
  bool open = true;     ///< whether other operations may join
  llvm::SmallVector<mlir::Operation *> ops;

  int64_t rows() const { return columns == 0 ? elements : elements / columns; }
};

/// Why an operation did not join the kernel of one that it reads.
struct Refusal {
  mlir::Operation *op, *producer;
  std::string reason;
};

/// The groups of one section. A group is named by its number.
/// Borrows: the operations.
class FusionPlan {
public:
  explicit FusionPlan(llvm::ArrayRef<mlir::Operation *> section)
      : section(section) {}
  FusionPlan(const FusionPlan &) = delete;
  FusionPlan &operator=(const FusionPlan &) = delete;

  FusionSection &getSection() { return section; }
  const FusionSection &getSection() const { return section; }

  const std::vector<FusionGroup> &getGroups() const { return groups; }
  const FusionGroup &getGroup(unsigned number) const { return groups[number]; }
  const llvm::DenseMap<mlir::Operation *, unsigned> &getGroupOf() const {
    return groupOf;
  }
  /// The group of `op`; none if it is in none, or null.
  std::optional<unsigned> find(mlir::Operation *op) const;
  /// The operations of the group that `op` is in, or `op` alone.
  llvm::ArrayRef<mlir::Operation *>
  getMembers(mlir::Operation *const &op) const;

  /// Whether `holds` for anybody who reads `value`, through views that are not
  /// copied.
  bool isReadBy(mlir::Value value,
                llvm::function_ref<bool(mlir::Operation *)> holds) const;
  /// Whether that is anybody who is not in group `number`.
  bool isUsedOutside(mlir::Value value, unsigned number) const;
  /// Whether a value is in memory anyway: somebody but its own group, `number`,
  /// and sums over columns uses it.
  bool isStored(mlir::Value value, unsigned number) const;

  /// Whether groups `numbers` and `op`, made one, would wait for themselves.
  bool closesCycle(llvm::ArrayRef<unsigned> numbers,
                   mlir::Operation *op) const {
    return cycles.close(numbers, op);
  }

  /// Begins a group with `op`.
  unsigned start(mlir::Operation *op, LoopKind kind, int64_t elements,
                 int64_t columns, bool open);
  /// Adds `op`, which is in no group, to group `number`.
  void join(mlir::Operation *op, unsigned number);
  /// Makes `numbers` and `op` one group of rows, or starts one if there are
  /// none.
  void merge(llvm::ArrayRef<unsigned> numbers, mlir::Operation *op,
             int64_t elements, int64_t columns);
  /// Takes `op` from its group into another.
  void move(mlir::Operation *op, unsigned to);
  /// The same, unless kernels would wait for each other in a cycle; whether it
  /// was done. Requires: finishPlacement.
  bool moveWithoutCycle(mlir::Operation *op, unsigned to);
  /// Group `number`, of rows of any length, has rows of `columns`.
  void fixColumns(unsigned number, int64_t columns) {
    groups[number].columns = columns;
  }

  /// Moves all of group `from` into another, unless kernels would wait for each
  /// other in a cycle; whether it was done. Requires: finishPlacement.
  bool uniteWithoutCycle(unsigned from, unsigned to);

  /// Every operation that will be in a group of rows, attention or products is
  /// in one now; those of the section are numbered anew.
  void finishPlacement();
  /// Erases what nobody uses.
  void eraseUnused();

  /// Notes why `op` is not computed in the kernel that makes `operand`.
  void refuse(mlir::Operation *op, mlir::Value operand,
              const Decision &decision);
  /// What was asked and refused, for those whose operations are in different
  /// groups now.
  std::vector<Refusal> getRefusals() const;

private:
  FusionSection section;
  std::vector<FusionGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
  std::vector<Refusal> refusals;
  FusionCycles cycles{*this};
};

} // namespace accel

#endif
