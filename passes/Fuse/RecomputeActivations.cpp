// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What forward computes element by element of values that backward reads
// anyway, backward computes again: nobody keeps it in between.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace accel {
#define GEN_PASS_DEF_RECOMPUTEACTIVATIONSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// More would cost more than reading the value from memory.
static constexpr size_t kMostOperations = 32;

static int64_t getBytes(Value value) {
  return getNumElements(value) * getStoredBytes(elementTypeOf(value));
}

/// The operation that makes the loss of a microbatch, the last one of forward;
/// null if `body` trains nothing.
static Operation *findLoss(Block &body) {
  for (auto accumulate : body.getOps<AccumulateOp>()) {
    if (accumulate.getSymbol() == kLossSumState) {
      Operation *loss = getViewRoot(accumulate.getOperand()).getDefiningOp();
      return loss && loss->getBlock() == &body ? loss : nullptr;
    }
  }
  return nullptr;
}

namespace {

/// The loop over microbatches, whose body is cut where the loss is known.
class RecomputedActivations {
public:
  RecomputedActivations(Block &body, Operation *loss, int64_t fewestBytes)
      : body(body), loss(loss), fewestBytes(fewestBytes) {}

  void recompute();

private:
  using Slice = llvm::SetVector<Operation *>;

  bool isBackward(Operation *op) const { return loss->isBeforeInBlock(op); }
  SmallVector<OpOperand *> findReads(Value value) const;
  bool isKept(Value root) const {
    return !dropped.contains(root) && !findReads(root).empty();
  }
  bool isAtHand(Value root, Value value) const;
  bool collect(Value value, Slice &slice) const;
  Value emit(Value value, IRMapping &made, OpBuilder &builder);
  void drop(Value value, const Slice &slice);
  void mark();

  Block &body;
  Operation *loss;
  int64_t fewestBytes;
  llvm::DenseSet<Value> dropped;
  llvm::DenseSet<Value> sources; ///< of which backward computes these
};

} // namespace

/// Where operations of backward read `value`, through views of either part.
SmallVector<OpOperand *> RecomputedActivations::findReads(Value value) const {
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isViewOp(user)) {
      for (Value view : user->getResults()) {
        llvm::append_range(reads, findReads(view));
      }
    } else if (isBackward(user)) {
      reads.push_back(&use);
    }
  }
  return reads;
}

/// Whether backward has `root` in memory, of which it would compute `value`: it
/// is a parameter, is read there anyway, or is little beside it.
bool RecomputedActivations::isAtHand(Value root, Value value) const {
  constexpr int64_t kLittle = 16;
  return isa_and_nonnull<ReadOp>(root.getDefiningOp()) || isKept(root) ||
         getBytes(root) * kLittle <= getBytes(value);
}

/// Adds to `slice`, operands first, what makes `value` of values at hand; false
/// if that is not done element by element.
bool RecomputedActivations::collect(Value value, Slice &slice) const {
  Operation *op = value.getDefiningOp();
  if (isa<DropoutOp, RandomNormalOp>(op) || slice.size() >= kMostOperations ||
      getFusionKindOf(op) != FusionKind::Elementwise) {
    return false;
  }
  for (Value operand : op->getOperands()) {
    Value root = getViewRoot(operand);
    Operation *producer = root.getDefiningOp();
    bool isThere = !producer || isSource(producer) ||
                   slice.contains(producer) || isAtHand(root, value);
    if (!isThere && !collect(root, slice)) {
      return false;
    }
  }
  slice.insert(op);
  return true;
}

/// `value` as it is computed again, with the views on the way to it.
Value RecomputedActivations::emit(Value value, IRMapping &made,
                                  OpBuilder &builder) {
  Operation *op = value.getDefiningOp();
  if (made.contains(value) || !op || !isViewOp(op)) {
    return made.lookupOrDefault(value);
  }
  Value source = emit(op->getOperand(0), made, builder);
  if (source != op->getOperand(0)) {
    builder.clone(*op, made);
  }
  return made.lookupOrDefault(value);
}

/// Lets backward compute `value` in front of its first reader there.
void RecomputedActivations::drop(Value value, const Slice &slice) {
  SmallVector<OpOperand *> reads = findReads(value);
  auto *first = llvm::min_element(reads, [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  OpBuilder builder((*first)->getOwner());
  IRMapping made;
  for (Operation *op : slice) {
    for (Value operand : op->getOperands()) {
      emit(operand, made, builder);
      sources.insert(getViewRoot(operand));
    }
    setRecomputed(builder.clone(*op, made));
  }
  for (OpOperand *read : reads) {
    read->set(emit(read->get(), made, builder));
  }
  dropped.insert(value);
}

/// Marks what else backward computes of the same values alone: in the kernels
/// that make these it would be stored beside them.
void RecomputedActivations::mark() {
  auto isForward = [&](Value operand) {
    Operation *producer = getViewRoot(operand).getDefiningOp();
    return !producer || producer->getBlock() != &body ||
           !isBackward(producer) || isSource(producer) ||
           isRecomputed(producer);
  };
  auto isOfSources = [&](Value operand) {
    Value root = getViewRoot(operand);
    return getBytes(root) >= fewestBytes &&
           (sources.contains(root) || isRecomputed(root.getDefiningOp()));
  };
  for (Operation &op : body) {
    if (isBackward(&op) && !isViewOp(&op) && !isSource(&op) &&
        getFusionKindOf(&op) == FusionKind::Elementwise &&
        llvm::any_of(op.getOperands(), isOfSources) &&
        llvm::all_of(op.getOperands(), isForward)) {
      setRecomputed(&op);
    }
  }
}

void RecomputedActivations::recompute() {
  SmallVector<Value> values;
  for (Operation &op : body) {
    if (&op == loss) {
      break;
    }
    if (op.getNumResults() == 1 && !isViewOp(&op) && !isSource(&op) &&
        isa<FloatType>(elementTypeOf(op.getResult(0))) &&
        getBytes(op.getResult(0)) >= fewestBytes) {
      values.push_back(op.getResult(0));
    }
  }
  for (Value value : values) {
    Slice slice;
    if (isKept(value) && collect(value, slice)) {
      drop(value, slice);
    }
  }
  if (!dropped.empty()) {
    mark();
  }
}

namespace {

class RecomputeActivationsPass
    : public accel::impl::RecomputeActivationsPassBase<
          RecomputeActivationsPass> {
public:
  using RecomputeActivationsPassBase::RecomputeActivationsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    int64_t fewestBytes = bytes != 0 ? bytes : target->getRecomputedBytes();
    func::FuncOp step = findFunction(getOperation(), FunctionRole::Step);
    if (!step || fewestBytes == 0) {
      return;
    }
    step.walk([&](RepeatOp loop) {
      Block &body = loop.getBody().front();
      if (Operation *loss = findLoss(body)) {
        RecomputedActivations(body, loss, fewestBytes).recompute();
      }
    });
  }
};

} // namespace
