// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion planner's kernels with a matrix product, and what they compute of
// it while it is still in a cache.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/KernelClusters.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

/// Whether a symbol or the run gets `value`: its producer writes it there.
static bool goesToSymbol(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<WriteOp, AccumulateOp, MetricOp>(user);
  });
}

bool ClusterPlanner::isProduct(Operation *op) {
  return isa_and_nonnull<MatmulOp>(op);
}

void ClusterPlanner::placeProduct(Operation *op) {
  materializeUnreadable(op);
  Value result = op->getResult(0);
  start(op, KernelKind::Product, getNumElements(result), shapeOf(result).back(),
        /*open=*/false);
}

/// Whether `op` can be computed of the product with `columns` columns or of
/// what is already computed of it, `epilogue`: element by element, in rows.
bool ClusterPlanner::followsProduct(Operation *op, Operation *product,
                                    const OperationSet &epilogue) const {
  int64_t elements = getNumElements(product->getResult(0));
  int64_t columns = shapeOf(product->getResult(0)).back();
  bool isFull = getFusionKindOf(op) == FusionKind::Elementwise &&
                !isViewOp(op) && getNumElements(op->getResult(0)) == elements;
  if (!isFull || goesToSymbol(op->getResult(0))) {
    return false;
  }
  unsigned cluster = clusterOf.lookup(op);
  bool isOfProduct = false;
  for (Value operand : op->getOperands()) {
    Value root = getRoot(operand);
    Operation *producer = root.getDefiningOp();
    bool isMember =
        producer && (producer == product || epilogue.contains(producer));
    if (isMember) {
      isOfProduct = true;
      if (getAccessRelation(operand, root).kind != AccessKind::Identity) {
        return false;
      }
      continue;
    }
    auto found = clusterOf.find(producer);
    if (producer && found != clusterOf.end() && found->second == cluster) {
      return false;
    }
  }
  SmallVector<Value> offending;
  return isOfProduct &&
         operandsAllowColumns(op, elements, columns, offending) &&
         offending.empty() && target.mayFollow(cast<MatmulOp>(product), op);
}

/// What of the kernel `number` may move behind `product`: nothing that only the
/// kernel itself would read, which has it in registers now.
ClusterPlanner::OperationSet
ClusterPlanner::findEpilogue(Operation *product, unsigned number) const {
  SmallVector<Operation *> members(clusters[number].ops);
  llvm::sort(members, [&](Operation *a, Operation *b) {
    return positions.lookup(a) < positions.lookup(b);
  });
  OperationSet refused;
  while (true) {
    OperationSet epilogue;
    for (Operation *op : members) {
      if (!refused.contains(op) && followsProduct(op, product, epilogue)) {
        epilogue.insert(op);
      }
    }
    size_t before = refused.size();
    for (Operation *op : epilogue) {
      bool isReadHere = isReadBy(op->getResult(0), [&](Operation *user) {
        auto found = clusterOf.find(user);
        return found != clusterOf.end() && found->second == number &&
               !epilogue.contains(user);
      });
      if (isReadHere && !isStored(op->getResult(0), number)) {
        refused.insert(op);
      }
    }
    if (refused.size() == before) {
      return epilogue;
    }
  }
}

void ClusterPlanner::move(Operation *op, unsigned to) {
  llvm::erase(clusters[clusterOf.lookup(op)].ops, op);
  clusters[to].ops.push_back(op);
  clusterOf[op] = to;
}

/// Moves operations into the product's kernel, as far as kernels do not wait
/// for each other in a circle, and if one of the results can hold the sums.
void ClusterPlanner::moveToProduct(const OperationSet &epilogue,
                                   unsigned number, unsigned product) {
  SmallVector<Operation *> moved;
  for (Operation *op : epilogue) {
    move(op, product);
    if (closesCycle({product}, op)) {
      move(op, number);
      break;
    }
    moved.push_back(op);
    earliest.moved(op);
  }
  bool hasPlace = llvm::any_of(clusters[product].ops, [&](Operation *op) {
    return elementTypeOf(op->getResult(0)).isF32() &&
           isUsedOutside(op->getResult(0), product);
  });
  if (!hasPlace) {
    llvm::for_each(llvm::reverse(moved),
                   [&](Operation *op) { move(op, number); });
  }
}

bool ClusterPlanner::isReadBy(
    Value value, llvm::function_ref<bool(Operation *)> holds) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    bool isView = isViewOp(user) && !clusterOf.count(user);
    return isView
               ? llvm::any_of(user->getResults(),
                              [&](Value view) { return isReadBy(view, holds); })
               : holds(user);
  });
}

bool ClusterPlanner::isUsedOutside(Value value, unsigned number) const {
  return isReadBy(value, [&](Operation *user) {
    auto found = clusterOf.find(user);
    return found == clusterOf.end() || found->second != number;
  });
}

void ClusterPlanner::placeEpilogues() {
  allPlaced = true;
  for (auto [i, op] : llvm::enumerate(ops)) {
    positions[op] = i;
  }
  earliest.compute(ops, positions);
  for (unsigned product = 0; product < clusters.size(); ++product) {
    if (clusters[product].kind != KernelKind::Product) {
      continue;
    }
    Operation *matmul = clusters[product].ops.front();
    if (goesToSymbol(matmul->getResult(0))) {
      continue;
    }
    llvm::SetVector<unsigned> candidates;
    isReadBy(matmul->getResult(0), [&](Operation *user) {
      auto found = clusterOf.find(user);
      if (found != clusterOf.end() &&
          clusters[found->second].kind == KernelKind::Rows) {
        candidates.insert(found->second);
      }
      return false;
    });
    for (unsigned number : candidates) {
      moveToProduct(findEpilogue(matmul, number), number, product);
    }
    reportRefusedEpilogues(cast<MatmulOp>(matmul));
  }
}

/// Says why the target computes what reads the product elsewhere.
void ClusterPlanner::reportRefusedEpilogues(MatmulOp product) {
  for (Operation *user : product->getUsers()) {
    auto found = clusterOf.find(user);
    if (found == clusterOf.end() ||
        clusters[found->second].kind != KernelKind::Rows ||
        user->getNumResults() != 1) {
      continue;
    }
    if (Decision decision = target.mayFollow(product, user); !decision) {
      refuse(user, product.getResult(), decision.getReason());
    }
  }
}
