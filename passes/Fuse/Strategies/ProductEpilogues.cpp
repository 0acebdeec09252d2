// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of a matrix product while it is still in a cache.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

namespace {

/// Moves operations of rows into the kernels of products.
class ProductEpilogues {
public:
  explicit ProductEpilogues(FusionState &state)
      : plan(state.plan), target(state.target) {}

  void place(unsigned product);

private:
  using OperationSet = llvm::SetVector<Operation *>;

  llvm::SetVector<unsigned> findCandidates(MatmulOp matmul) const;
  bool isOfProduct(Operation *op, MatmulOp matmul,
                   const OperationSet &epilogue) const;
  bool widensVector(Operation *op) const;
  bool mayFollow(Operation *op, MatmulOp matmul,
                 const OperationSet &epilogue) const;
  bool isNeededBehind(Operation *op, unsigned number,
                      const OperationSet &epilogue) const;
  bool isStoredAlike(Operation *op, MatmulOp matmul,
                     const OperationSet &epilogue) const;
  OperationSet findEpilogue(MatmulOp matmul, unsigned number) const;
  void moveToProduct(const OperationSet &epilogue, unsigned number,
                     unsigned product);
  void reportRefused(MatmulOp matmul);

  FusionPlan &plan;
  const Target &target;
};

} // namespace

/// Whether a symbol or the run gets `value`: its producer writes it there.
static bool goesToSymbol(Value value) {
  return llvm::any_of(value.getUsers(), isSink);
}

/// Whether `op` reads the product, or what is already computed of it, element
/// by element, and nothing else of the kernel that it leaves.
bool ProductEpilogues::isOfProduct(Operation *op, MatmulOp matmul,
                                   const OperationSet &epilogue) const {
  bool readsProduct = false;
  for (Value operand : op->getOperands()) {
    Value root = plan.getSection().getRoot(operand);
    Operation *producer = root.getDefiningOp();
    bool isMember =
        producer && (producer == matmul || epilogue.contains(producer));
    if (isMember) {
      readsProduct = true;
      if (getAccessRelation(operand, root).kind != AccessKind::Identity) {
        return false;
      }
    } else if (producer && plan.find(producer) == plan.find(op)) {
      return false;
    }
  }
  return readsProduct;
}

/// Whether `op` widens a rounded vector that is repeated for all rows, and that
/// others have made: any kernel can, of its own elements.
bool ProductEpilogues::widensVector(Operation *op) const {
  if (!isa<CastOp>(op)) {
    return false;
  }
  Value root = plan.getSection().getRoot(op->getOperand(0));
  Operation *producer = root.getDefiningOp();
  return SmallFloat::get(elementTypeOf(root)) &&
         getNumElements(root) == shapeOf(op->getResult(0)).back() &&
         (!producer || plan.find(producer) != plan.find(op));
}

/// Whether `op` can be computed behind the product, element by element, in
/// rows.
bool ProductEpilogues::mayFollow(Operation *op, MatmulOp matmul,
                                 const OperationSet &epilogue) const {
  int64_t elements = getNumElements(matmul.getResult());
  int64_t columns = shapeOf(matmul.getResult()).back();
  bool isFull = getFusionKindOf(op) == FusionKind::Elementwise &&
                !isViewOp(op) && getNumElements(op->getResult(0)) == elements;
  return isFull && !isRecomputed(op) && !goesToSymbol(op->getResult(0)) &&
         (isOfProduct(op, matmul, epilogue) || widensVector(op)) &&
         fitRows(plan.getSection(), op, elements, columns).fits() &&
         target.mayFollow(matmul, op);
}

/// Whether only the kernel that `op` would leave reads it, which has it in
/// registers now. A rounded value is stored in place of what it is rounded
/// from, which that kernel would have to read.
bool ProductEpilogues::isNeededBehind(Operation *op, unsigned number,
                                      const OperationSet &epilogue) const {
  Value result = op->getResult(0);
  if (SmallFloat::get(elementTypeOf(result))) {
    return false;
  }
  bool isReadHere = plan.isReadBy(result, [&](Operation *user) {
    return plan.find(user) == number && !epilogue.contains(user);
  });
  return isReadHere && !plan.isStored(result, number);
}

/// Whether the roundings of what a library makes of the product move with it:
/// it stores one type.
bool ProductEpilogues::isStoredAlike(Operation *op, MatmulOp matmul,
                                     const OperationSet &epilogue) const {
  if (op != target.getActivation(matmul)) {
    return true;
  }
  auto isRoundedElsewhere = [&](Value value) {
    return plan.isReadBy(value, [&](Operation *user) {
      return isa<CastOp>(user) && !epilogue.contains(user);
    });
  };
  return !isRoundedElsewhere(op->getResult(0)) &&
         (!isa<GeluOp>(op) ||
          !isRoundedElsewhere(plan.getSection().getRoot(op->getOperand(0))));
}

/// What of group `number` may move behind the product.
ProductEpilogues::OperationSet
ProductEpilogues::findEpilogue(MatmulOp matmul, unsigned number) const {
  SmallVector<Operation *> members(plan.getGroup(number).ops);
  llvm::sort(members, [&](Operation *a, Operation *b) {
    return plan.getSection().getPosition(a) < plan.getSection().getPosition(b);
  });
  OperationSet refused;
  while (true) {
    OperationSet epilogue;
    for (Operation *op : members) {
      if (!refused.contains(op) && mayFollow(op, matmul, epilogue)) {
        epilogue.insert(op);
      }
    }
    size_t before = refused.size();
    for (Operation *op : epilogue) {
      if (isNeededBehind(op, number, epilogue) ||
          !isStoredAlike(op, matmul, epilogue)) {
        refused.insert(op);
      }
    }
    if (refused.size() == before) {
      return epilogue;
    }
  }
}

/// Moves operations into the product's kernel, as far as kernels do not wait
/// for each other in a cycle, and if one of the results is a float: what has no
/// other result is worth no product's rows.
void ProductEpilogues::moveToProduct(const OperationSet &epilogue,
                                     unsigned number, unsigned product) {
  SmallVector<Operation *> moved;
  for (Operation *op : epilogue) {
    if (!plan.moveWithoutCycle(op, product)) {
      break;
    }
    moved.push_back(op);
  }
  bool hasPlace = llvm::any_of(plan.getGroup(product).ops, [&](Operation *op) {
    return isa<FloatType>(elementTypeOf(op->getResult(0))) &&
           plan.isUsedOutside(op->getResult(0), product);
  });
  if (!hasPlace) {
    llvm::for_each(llvm::reverse(moved),
                   [&](Operation *op) { plan.move(op, number); });
  }
}

/// The groups of rows that read the product.
llvm::SetVector<unsigned>
ProductEpilogues::findCandidates(MatmulOp matmul) const {
  llvm::SetVector<unsigned> candidates;
  plan.isReadBy(matmul.getResult(), [&](Operation *user) {
    std::optional<unsigned> number = plan.find(user);
    if (number && plan.getGroup(*number).kind == LoopKind::Rows) {
      candidates.insert(*number);
    }
    return false;
  });
  return candidates;
}

/// Says why the target computes what reads the product elsewhere.
void ProductEpilogues::reportRefused(MatmulOp matmul) {
  for (Operation *user : matmul->getUsers()) {
    std::optional<unsigned> number = plan.find(user);
    if (!number || plan.getGroup(*number).kind != LoopKind::Rows ||
        user->getNumResults() != 1) {
      continue;
    }
    if (Decision decision = target.mayFollow(matmul, user); !decision) {
      plan.refuse(user, matmul.getResult(), decision);
    }
  }
}

void ProductEpilogues::place(unsigned product) {
  auto matmul = cast<MatmulOp>(plan.getGroup(product).ops.front());
  if (goesToSymbol(matmul.getResult())) {
    return;
  }
  for (unsigned number : findCandidates(matmul)) {
    moveToProduct(findEpilogue(matmul, number), number, product);
  }
  reportRefused(matmul);
}

void accel::placeProductEpilogues(FusionState &state) {
  ProductEpilogues epilogues(state);
  for (unsigned i = 0; i < state.plan.getGroups().size(); ++i) {
    if (state.plan.getGroup(i).kind == LoopKind::Product) {
      epilogues.place(i);
    }
  }
}
