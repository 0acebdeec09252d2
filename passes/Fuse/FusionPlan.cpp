// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The groups of a section, and the few ways in which they change.
#include "passes/Fuse/FusionPlan.h"

#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

std::optional<unsigned> FusionPlan::find(Operation *op) const {
  auto found = groupOf.find(op);
  return found == groupOf.end() ? std::nullopt
                                : std::optional<unsigned>(found->second);
}

ArrayRef<Operation *> FusionPlan::getMembers(Operation *const &op) const {
  auto found = groupOf.find(op);
  return found == groupOf.end()
             ? ArrayRef<Operation *>(op)
             : ArrayRef<Operation *>(groups[found->second].ops);
}

bool FusionPlan::isReadBy(Value value,
                          llvm::function_ref<bool(Operation *)> holds) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    bool isView = isViewOp(user) && !groupOf.count(user);
    return isView
               ? llvm::any_of(user->getResults(),
                              [&](Value view) { return isReadBy(view, holds); })
               : holds(user);
  });
}

bool FusionPlan::isUsedOutside(Value value, unsigned number) const {
  return isReadBy(value, [&](Operation *user) { return find(user) != number; });
}

bool FusionPlan::isStored(Value value, unsigned number) const {
  return isReadBy(value, [&](Operation *user) {
    std::optional<unsigned> group = find(user);
    return group ? *group != number && groups[*group].kind != LoopKind::Columns
                 : !isColumnSum(user);
  });
}

unsigned FusionPlan::start(Operation *op, LoopKind kind, int64_t elements,
                           int64_t columns, bool open) {
  groups.push_back({kind, elements, columns, open, {op}});
  groupOf[op] = groups.size() - 1;
  return groups.size() - 1;
}

void FusionPlan::join(Operation *op, unsigned number) {
  groups[number].ops.push_back(op);
  groupOf[op] = number;
}

void FusionPlan::merge(ArrayRef<unsigned> numbers, Operation *op,
                       int64_t elements, int64_t columns) {
  if (numbers.empty()) {
    start(op, LoopKind::Rows, elements, columns, /*open=*/true);
    return;
  }
  for (unsigned number : numbers.drop_front()) {
    for (Operation *moved : groups[number].ops) {
      join(moved, numbers[0]);
    }
    groups[number].ops.clear();
    groups[number].open = false;
  }
  groups[numbers[0]].columns = columns;
  join(op, numbers[0]);
}

void FusionPlan::move(Operation *op, unsigned to) {
  llvm::erase(groups[groupOf.lookup(op)].ops, op);
  join(op, to);
}

bool FusionPlan::moveWithoutCycle(Operation *op, unsigned to) {
  unsigned from = groupOf.lookup(op);
  move(op, to);
  if (closesCycle({to}, op)) {
    move(op, from);
    return false;
  }
  cycles.moved(op);
  return true;
}

bool FusionPlan::uniteWithoutCycle(unsigned from, unsigned to) {
  SmallVector<Operation *> ops(groups[from].ops);
  if (closesCycle({from, to}, ops.front())) {
    return false;
  }
  for (Operation *op : ops) {
    move(op, to);
  }
  cycles.moved(ops.front());
  return true;
}

void FusionPlan::finishPlacement() {
  section.numberOps();
  cycles.finishPlacement();
}

void FusionPlan::eraseUnused() {
  section.eraseUnused([&](Operation *op) {
    if (std::optional<unsigned> number = find(op)) {
      llvm::erase(groups[*number].ops, op);
      groupOf.erase(op);
    }
  });
}

void FusionPlan::refuse(Operation *op, Value operand,
                        const Decision &decision) {
  refusals.push_back({op, section.getRoot(operand).getDefiningOp(),
                      decision.getReason().str()});
}

std::vector<Refusal> FusionPlan::getRefusals() const {
  std::vector<Refusal> apart;
  llvm::copy_if(refusals, std::back_inserter(apart),
                [&](const Refusal &refusal) {
                  std::optional<unsigned> group = find(refusal.op);
                  std::optional<unsigned> other = find(refusal.producer);
                  return group && other && *group != *other;
                });
  return apart;
}
