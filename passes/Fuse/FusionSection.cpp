// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations in order, with the copies that symbols make necessary.
#include "passes/Fuse/FusionSection.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

FusionSection::FusionSection(ArrayRef<Operation *> section)
    : ops(section.begin(), section.end()) {}

/// One element of a state: kernels get its address, so that layers which read
/// different elements share them.
static bool isElementOfState(Value value) {
  auto slice = value.getDefiningOp<SliceOp>();
  return slice && getNumElements(value) == 1 &&
         slice.getOperand().getDefiningOp<ReadOp>();
}

Value FusionSection::getRoot(Value value) const {
  return getViewRoot(value, [&](Value v) {
    return copied.contains(v) || isElementOfState(v);
  });
}

bool FusionSection::isCopied(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value v) { return copied.contains(v); });
}

bool FusionSection::isFreeView(Operation *op) const {
  return isViewOp(op) && !isCopied(op);
}

void FusionSection::numberOps() {
  for (auto [i, op] : llvm::enumerate(ops)) {
    positions[op] = i;
  }
}

void FusionSection::insertBefore(Operation *op,
                                 ArrayRef<Operation *> inserted) {
  ops.insert(llvm::find(ops, op), inserted.begin(), inserted.end());
  graph.insert(inserted);
}

Operation *FusionSection::insertCopy(Value value, Operation *user) {
  OpBuilder builder(user);
  Operation *copy =
      ReshapeOp::create(builder, user->getLoc(), value.getType(), value);
  markCopied(copy->getResult(0));
  user->replaceUsesOfWith(value, copy->getResult(0));
  insertBefore(user, copy);
  if (Operation *producer = value.getDefiningOp();
      producer && graph.contains(producer)) {
    graph.addEdge(producer, copy);
  }
  graph.addEdge(copy, user);
  return copy;
}

void FusionSection::copyStored() {
  for (Operation *op : std::vector<Operation *>(ops)) {
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose || !transpose.getStored()) {
      continue;
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto copy = ReshapeOp::create(builder, op->getLoc(), transpose.getType(),
                                  transpose);
    transpose.getResult().replaceAllUsesExcept(copy, copy);
    markCopied(copy);
    ops.insert(std::next(llvm::find(ops, op)), copy);
  }
}

/// Everything that reads `value`, through views.
static void collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    users.push_back(user);
    if (isViewOp(user)) {
      for (Value result : user->getResults()) {
        collectUsers(result, users);
      }
    }
  }
}

/// Parts from which on a copy costs less than kernels that each know their own.
constexpr unsigned kManyParts = 16;

/// How many operations that are no views read results of `split`.
static size_t countReaders(SplitOp split) {
  SmallVector<Operation *> users;
  for (Value part : split.getResults()) {
    collectUsers(part, users);
  }
  llvm::erase_if(users, isViewOp);
  return DenseSet<Operation *>(users.begin(), users.end()).size();
}

void FusionSection::copyScattered() {
  for (Operation *op : std::vector<Operation *>(ops)) {
    auto split = dyn_cast<SplitOp>(op);
    if (!split || split.getNumResults() < kManyParts) {
      continue;
    }
    Value whole = split.getOperand(), part = split.getResult(0);
    Value root = getRoot(whole);
    int64_t offset = 0;
    // What was broadcast, or is made anew wherever it is read, is little.
    bool isMoved = getNumElements(whole) == getNumElements(root) &&
                   !isSource(root.getDefiningOp());
    if (isMoved && isContiguousPart(part, whole, offset) &&
        !isContiguousPart(part, root, offset) &&
        countReaders(split) >= kManyParts) {
      insertCopy(whole, split);
    }
  }
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Whether the state that `read` has read is written behind `sink`: runs fetch
/// metrics when a step is over.
static bool isWrittenBehind(ReadOp read, Operation *sink) {
  return llvm::any_of(sink->getBlock()->getOps<WriteOp>(), [&](WriteOp write) {
    return write.getSymbol() == read.getSymbol() &&
           sink->isBeforeInBlock(write);
  });
}

/// Whether `value` lies with another symbol, where an earlier write has put it.
static bool isWrittenBefore(Value value, Operation *sink) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<WriteOp>(user) && user->isBeforeInBlock(sink);
  });
}

/// Whether what `sink` takes is some kernel's own, whole, and used nowhere else
/// as what it was before an accumulation. A value lies with one symbol: others
/// that it is written to get copies.
bool FusionSection::isProducedInPlace(Operation *sink) const {
  Value value = sink->getOperands().back();
  Operation *producer = value.getDefiningOp();
  auto read = dyn_cast_or_null<ReadOp>(producer);
  if (isa<MetricOp>(sink) && read) {
    return !isWrittenBehind(read, sink); // it lies there already
  }
  bool isProduced = producer && producer->getBlock() == sink->getBlock() &&
                    llvm::is_contained(ops, producer) && !isSource(producer) &&
                    !isViewOp(producer) && !isAttention(producer) &&
                    isComputed(producer);
  bool isFree = isa<WriteOp>(sink) ? !isWrittenBefore(value, sink)
                                   : isa<MetricOp>(sink) || value.hasOneUse();
  return isProduced && isFree;
}

void FusionSection::isolateSinks() {
  for (Operation *op : std::vector<Operation *>(ops)) {
    auto write = dyn_cast<WriteOp>(op);
    bool takesValue = isSink(op) && !(write && isFill(write));
    if (takesValue && !isProducedInPlace(op)) {
      insertCopy(op->getOperands().back(), op);
    }
  }
}

/// A value written to a symbol is produced in place, so whoever reads what was
/// there before has to come before the producer.
void FusionSection::orderSink(Operation *sink, ArrayRef<Operation *> reads) {
  Operation *producer = sink->getOperand(0).getDefiningOp();
  SmallVector<Operation *> users;
  for (Operation *read : reads) {
    graph.addEdge(read, sink);
    collectUsers(read->getResult(0), users);
  }
  bool isBlocked = llvm::any_of(users, [&](Operation *user) {
    return user != producer && graph.contains(user) &&
           graph.reaches(producer, user);
  });
  if (isBlocked) {
    // A reader needs the new value as well as the old one: the symbol gets a
    // copy once it is done.
    producer = insertCopy(sink->getOperand(0), sink);
  }
  for (Operation *user : users) {
    if (graph.contains(user) && user != producer) {
      graph.addEdge(user, producer);
    }
  }
}

/// Those of `reads` that have read what `sink` overwrites: what is accumulated
/// for a parameter lies in its gradient, and the parameter stays as it is.
static SmallVector<Operation *> getOverwritten(Operation *sink, StringAttr name,
                                               ArrayRef<Operation *> reads) {
  bool isGradient =
      isa<AccumulateOp>(sink) &&
      SymbolTable::lookupNearestSymbolFrom<ParameterOp>(sink, name);
  return llvm::filter_to_vector(reads, [&](Operation *read) {
    return !isGradient || isa<GradientOp>(read);
  });
}

void FusionSection::orderOps() {
  graph.reset(ops);
  DenseMap<StringAttr, Operation *> lastWrite;
  DenseMap<StringAttr, SmallVector<Operation *>> reads;
  for (Operation *op : std::vector<Operation *>(ops)) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("symbol");
    if (!symbol) {
      continue;
    }
    StringAttr name = symbol.getAttr();
    if (isa<ReadOp, GradientOp>(op)) {
      if (Operation *write = lastWrite.lookup(name)) {
        graph.addEdge(write, op);
      }
      reads[name].push_back(op);
      continue;
    }
    orderSink(op, getOverwritten(op, name, reads[name]));
    if (isa<WriteOp>(op)) {
      lastWrite[name] = op;
      reads[name].clear();
    }
  }
}

void FusionSection::eraseUnused(llvm::function_ref<void(Operation *)> erased) {
  std::vector<Operation *> used;
  for (Operation *op : llvm::reverse(ops)) {
    if (!op->use_empty() || !isa<DifferentiableOpInterface>(op)) {
      used.push_back(op);
      continue;
    }
    erased(op);
    op->erase();
  }
  ops.assign(used.rbegin(), used.rend());
}
