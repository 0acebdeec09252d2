// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches for cycles near where they would begin.
#include "passes/Fuse/FusionCycles.h"

#include "passes/Fuse/FusionPlan.h"

using namespace mlir;
using namespace accel;

FusionCycles::FusionCycles(const FusionPlan &plan)
    : plan(plan), graph(plan.getSection().getGraph()),
      earliest(graph,
               [&plan](Operation *const &op) { return plan.getMembers(op); }) {}

void FusionCycles::finishPlacement() {
  allPlaced = true;
  const FusionSection &section = plan.getSection();
  earliest.compute(section.getOps(), section.getPositions());
}

/// What directly depends on `op`, looking through views that are not copied.
void FusionCycles::collectDependents(
    Operation *op, SmallVectorImpl<Operation *> &dependents) const {
  for (Operation *successor : graph.getSuccessors(op)) {
    if (plan.getSection().isFreeView(successor)) {
      collectDependents(successor, dependents);
    } else {
      dependents.push_back(successor);
    }
  }
}

/// Whether `op` waits for anybody who is no member and waits for somebody.
bool FusionCycles::waitsForOthers(Operation *op, const Members &members) const {
  return llvm::any_of(graph.getPredecessors(op), [&](Operation *before) {
    if (members.contains(before)) {
      return false;
    }
    if (plan.getSection().isFreeView(before)) {
      return waitsForOthers(before, members);
    }
    return plan.find(before).has_value() ||
           !graph.getPredecessors(before).empty();
  });
}

/// The last position at which members can be waiting for others. Until all are
/// placed that is `op`: what comes behind it is in no group and leads further
/// behind.
size_t FusionCycles::findLastEntry(Operation *op,
                                   const Members &members) const {
  const auto &positions = plan.getSection().getPositions();
  if (!allPlaced) {
    auto position = positions.find(op);
    return position == positions.end() ? SIZE_MAX : position->second;
  }
  size_t last = 0;
  for (Operation *member : members) {
    if (waitsForOthers(member, members)) {
      last = std::max(last, positions.lookup(member));
    }
  }
  return last;
}

/// The first position of what `outside` leads to, as far as that is known.
size_t FusionCycles::firstBehind(Operation *outside) const {
  return allPlaced ? earliest.get(outside)
                   : plan.getSection().getPosition(outside);
}

bool FusionCycles::close(ArrayRef<unsigned> numbers, Operation *op) const {
  Members members{op};
  for (unsigned number : numbers) {
    ArrayRef<Operation *> ops = plan.getGroup(number).ops;
    members.insert(ops.begin(), ops.end());
  }
  // A cycle would have to come in by `op`, which leads to nothing placed yet.
  if (!allPlaced && numbers.size() == 1 && !waitsForOthers(op, members)) {
    return false;
  }
  auto isMember = [&](Operation *other) { return members.contains(other); };
  SmallVector<Operation *> stack;
  DenseSet<Operation *> seen;
  size_t lastEntry = findLastEntry(op, members);
  for (Operation *member : members) {
    collectDependents(member, stack);
  }
  llvm::erase_if(stack, isMember);
  while (!stack.empty()) {
    Operation *outside = stack.pop_back_val();
    if (firstBehind(outside) > lastEntry || !seen.insert(outside).second) {
      continue;
    }
    SmallVector<Operation *> dependents;
    collectDependents(outside, dependents);
    if (llvm::any_of(dependents, isMember)) {
      return true;
    }
    stack.append(dependents);
    if (plan.find(outside)) {
      llvm::append_range(stack, plan.getMembers(outside));
    }
  }
  return false;
}
