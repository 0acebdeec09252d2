// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges between the operations of a section.
#include "passes/Fuse/SectionGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

void SectionGraph::reset(ArrayRef<Operation *> ops) {
  known.clear();
  predecessors.clear();
  successors.clear();
  insert(ops);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && contains(producer)) {
        addEdge(producer, op);
      }
    }
  }
}

void SectionGraph::insert(ArrayRef<Operation *> ops) {
  known.insert(ops.begin(), ops.end());
}

void SectionGraph::addEdge(Operation *from, Operation *to) {
  if (from != to && !llvm::is_contained(predecessors[to], from)) {
    predecessors[to].push_back(from);
    successors[from].push_back(to);
  }
}

static ArrayRef<Operation *>
neighbours(const DenseMap<Operation *, SectionGraph::Operations> &edges,
           Operation *op) {
  auto found = edges.find(op);
  return found == edges.end() ? ArrayRef<Operation *>()
                              : ArrayRef<Operation *>(found->second);
}

ArrayRef<Operation *> SectionGraph::getPredecessors(Operation *op) const {
  return neighbours(predecessors, op);
}

ArrayRef<Operation *> SectionGraph::getSuccessors(Operation *op) const {
  return neighbours(successors, op);
}

bool SectionGraph::reaches(Operation *from, Operation *to) const {
  SmallVector<Operation *> stack{from};
  DenseSet<Operation *> seen;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (op == to) {
      return true;
    }
    if (seen.insert(op).second) {
      llvm::append_range(stack, getSuccessors(op));
    }
  }
  return false;
}
