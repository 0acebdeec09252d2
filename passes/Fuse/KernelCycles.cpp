// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether kernels would wait for each other in a circle.
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/KernelClusters.h"

using namespace mlir;
using namespace accel;

/// What directly depends on `op`, looking through views that are not copied.
void ClusterPlanner::collectDependents(
    Operation *op, SmallVectorImpl<Operation *> &dependents) const {
  for (Operation *successor : graph.getSuccessors(op)) {
    if (isViewOp(successor) && !isCompute(successor)) {
      collectDependents(successor, dependents);
    } else {
      dependents.push_back(successor);
    }
  }
}

/// The operations of the kernel that `op` is in, or `op` alone.
ArrayRef<Operation *> ClusterPlanner::getKernel(Operation *const &op) const {
  auto found = clusterOf.find(op);
  return found == clusterOf.end()
             ? ArrayRef<Operation *>(op)
             : ArrayRef<Operation *>(clusters[found->second].ops);
}

/// Whether `op` waits for anybody who is no member and waits for somebody.
bool ClusterPlanner::waitsForOthers(
    Operation *op, const DenseSet<Operation *> &members) const {
  return llvm::any_of(graph.getPredecessors(op), [&](Operation *before) {
    if (members.contains(before)) {
      return false;
    }
    if (isViewOp(before) && !isCompute(before)) {
      return waitsForOthers(before, members);
    }
    return clusterOf.count(before) || !graph.getPredecessors(before).empty();
  });
}

/// The last position at which members can be waiting for others. Until all are
/// placed that is `op`: what comes behind it is in no cluster and leads further
/// behind.
size_t
ClusterPlanner::findLastEntry(Operation *op,
                              const DenseSet<Operation *> &members) const {
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
size_t ClusterPlanner::firstBehind(Operation *outside) const {
  return allPlaced ? earliest.get(outside) : positions.lookup(outside);
}

/// Whether clusters `numbers` and `op`, made one, would depend on themselves
/// through somebody else.
bool ClusterPlanner::closesCycle(ArrayRef<unsigned> numbers,
                                 Operation *op) const {
  DenseSet<Operation *> members{op};
  for (unsigned number : numbers) {
    members.insert(clusters[number].ops.begin(), clusters[number].ops.end());
  }
  // A circle would have to come in by `op`, which leads to nothing placed yet.
  if (!allPlaced && numbers.size() == 1 && !waitsForOthers(op, members)) {
    return false;
  }
  SmallVector<Operation *> stack;
  DenseSet<Operation *> seen;
  size_t lastEntry = findLastEntry(op, members);
  for (Operation *member : members) {
    collectDependents(member, stack);
  }
  llvm::erase_if(
      stack, [&](Operation *dependent) { return members.contains(dependent); });
  while (!stack.empty()) {
    Operation *outside = stack.pop_back_val();
    if (firstBehind(outside) > lastEntry || !seen.insert(outside).second) {
      continue;
    }
    SmallVector<Operation *> dependents;
    collectDependents(outside, dependents);
    if (llvm::any_of(dependents, [&](Operation *dependent) {
          return members.contains(dependent);
        })) {
      return true;
    }
    stack.append(dependents);
    if (auto cluster = clusterOf.find(outside); cluster != clusterOf.end()) {
      stack.append(clusters[cluster->second].ops.begin(),
                   clusters[cluster->second].ops.end());
    }
  }
  return false;
}
