// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk from the last kernels back, and its repair where kernels change.
#include "passes/Fuse/EarliestReached.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

void EarliestReached::set(ArrayRef<Operation *> node, size_t position) {
  for (Operation *op : node) {
    earliest[op] = position;
  }
}

size_t EarliestReached::earliestOf(
    ArrayRef<Operation *> node,
    const DenseMap<Operation *, size_t> &positions) const {
  size_t position = SIZE_MAX;
  for (Operation *member : node) {
    position = std::min(position, positions.lookup(member));
    for (Operation *successor : graph.getSuccessors(member)) {
      auto found = earliest.find(successor);
      // None: it is in the node itself.
      if (found != earliest.end()) {
        position = std::min(position, found->second);
      }
    }
  }
  return position;
}

void EarliestReached::compute(ArrayRef<Operation *> ops,
                              const DenseMap<Operation *, size_t> &positions) {
  earliest.clear();
  DenseSet<Operation *> expanded; // nodes, by their first operations
  Operations stack(llvm::reverse(ops));
  while (!stack.empty()) {
    Operation *op = stack.back();
    ArrayRef<Operation *> node = nodeOf(op);
    if (earliest.contains(op)) {
      stack.pop_back();
    } else if (expanded.insert(node.front()).second) {
      for (Operation *member : node) {
        llvm::copy_if(
            graph.getSuccessors(member), std::back_inserter(stack),
            [&](Operation *next) { return !earliest.contains(next); });
      }
    } else {
      // Back here, with all that comes behind it done.
      set(node, earliestOf(node, positions));
      stack.pop_back();
    }
  }
}

void EarliestReached::moved(Operation *op) {
  size_t position = SIZE_MAX;
  Operations stack;
  for (Operation *member : nodeOf(op)) {
    position = std::min(position, get(member));
    llvm::append_range(stack, graph.getPredecessors(member));
  }
  set(nodeOf(op), position);
  while (!stack.empty()) {
    Operation *before = stack.pop_back_val();
    if (get(before) <= position) {
      continue;
    }
    ArrayRef<Operation *> node = nodeOf(before);
    set(node, position);
    for (Operation *member : node) {
      llvm::append_range(stack, graph.getPredecessors(member));
    }
  }
}
