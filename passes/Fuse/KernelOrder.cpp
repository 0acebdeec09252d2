// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts kernels by what they wait for.
#include "passes/Fuse/KernelOrder.h"

#include "passes/Analysis/TensorAccess.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

KernelOrder::KernelOrder(
    Operations ops, const DenseMap<Operation *, unsigned> &kernelOf,
    llvm::function_ref<Operations(Operation *)> predecessors) {
  collect(ops, kernelOf);
  // A view between members of one kernel is part of it, not somebody it waits
  // for.
  auto isInnerView = [&](Operation *producer, Operation *op) {
    return isViewOp(producer) && !kernelOf.count(producer) &&
           kernelOf.count(op);
  };
  for (auto [i, op] : llvm::enumerate(ops)) {
    last[nodeOf[op]] = i;
    SmallVector<Operation *> before(predecessors(op));
    while (!before.empty()) {
      Operation *producer = before.pop_back_val();
      if (isInnerView(producer, op)) {
        llvm::append_range(before, predecessors(producer));
      } else {
        waitFor(op, producer);
      }
    }
  }
  sort();
  if (order.size() < members.size()) {
    findCycle();
  }
}

void KernelOrder::collect(Operations ops,
                          const DenseMap<Operation *, unsigned> &kernelOf) {
  DenseMap<unsigned, unsigned> nodeOfKernel;
  for (Operation *op : ops) {
    auto kernel = kernelOf.find(op);
    unsigned node = members.size();
    if (kernel != kernelOf.end()) {
      node = nodeOfKernel.try_emplace(kernel->second, node).first->second;
    }
    if (node == members.size()) {
      members.emplace_back();
    }
    nodeOf[op] = node;
    members[node].push_back(op);
  }
  successors.resize(members.size());
  waiting.resize(members.size(), 0);
  last.resize(members.size(), 0);
}

void KernelOrder::waitFor(Operation *op, Operation *producer) {
  unsigned node = nodeOf[op];
  if (nodeOf[producer] != node && successors[nodeOf[producer]].insert(node)) {
    ++waiting[node];
  }
}

void KernelOrder::sort() {
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned node = 0; node < members.size(); ++node) {
    if (waiting[node] == 0) {
      ready.push({last[node], node});
    }
  }
  while (!ready.empty()) {
    unsigned node = ready.top().second;
    ready.pop();
    order.push_back(members[node]);
    for (unsigned successor : successors[node]) {
      if (--waiting[successor] == 0) {
        ready.push({last[successor], successor});
      }
    }
  }
}

/// Whoever still waits, waits for somebody who still waits: going back from one
/// to the next closes the cycle.
void KernelOrder::findCycle() {
  auto isStuck = [&](unsigned node) { return waiting[node] > 0; };
  auto before = [&](unsigned node) {
    unsigned producer = 0;
    while (!isStuck(producer) || !successors[producer].contains(node)) {
      ++producer;
    }
    return producer;
  };
  unsigned start = 0;
  while (!isStuck(start)) {
    ++start;
  }
  SmallVector<unsigned> path;
  for (unsigned node = start; !llvm::is_contained(path, node);
       node = before(node)) {
    path.push_back(node);
  }
  unsigned first = before(path.back());
  for (unsigned node : llvm::reverse(path)) {
    cycle.push_back(members[node].front());
    if (node == first) {
      break;
    }
  }
}
