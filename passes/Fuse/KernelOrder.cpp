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
    last[unitOf[op]] = i;
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
  DenseMap<unsigned, unsigned> unitOfKernel;
  for (Operation *op : ops) {
    auto kernel = kernelOf.find(op);
    unsigned unit = members.size();
    if (kernel != kernelOf.end()) {
      unit = unitOfKernel.try_emplace(kernel->second, unit).first->second;
    }
    if (unit == members.size()) {
      members.emplace_back();
    }
    unitOf[op] = unit;
    members[unit].push_back(op);
  }
  successors.resize(members.size());
  waiting.resize(members.size(), 0);
  last.resize(members.size(), 0);
}

void KernelOrder::waitFor(Operation *op, Operation *producer) {
  unsigned unit = unitOf[op];
  if (unitOf[producer] != unit && successors[unitOf[producer]].insert(unit)) {
    ++waiting[unit];
  }
}

void KernelOrder::sort() {
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned unit = 0; unit < members.size(); ++unit) {
    if (waiting[unit] == 0) {
      ready.push({last[unit], unit});
    }
  }
  while (!ready.empty()) {
    unsigned unit = ready.top().second;
    ready.pop();
    order.push_back(members[unit]);
    for (unsigned successor : successors[unit]) {
      if (--waiting[successor] == 0) {
        ready.push({last[successor], successor});
      }
    }
  }
}

/// Whoever still waits, waits for somebody who still waits: going back from one
/// to the next closes the cycle.
void KernelOrder::findCycle() {
  auto isStuck = [&](unsigned unit) { return waiting[unit] > 0; };
  auto before = [&](unsigned unit) {
    unsigned producer = 0;
    while (!isStuck(producer) || !successors[producer].contains(unit)) {
      ++producer;
    }
    return producer;
  };
  unsigned start = 0;
  while (!isStuck(start)) {
    ++start;
  }
  SmallVector<unsigned> path;
  for (unsigned unit = start; !llvm::is_contained(path, unit);
       unit = before(unit)) {
    path.push_back(unit);
  }
  unsigned first = before(path.back());
  for (unsigned unit : llvm::reverse(path)) {
    cycle.push_back(members[unit].front());
    if (unit == first) {
      break;
    }
  }
}
