// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion planner: greedy, in program order, an operation joins the kernels
// of its operands where one loop can serve both and no cycle arises.
#include "passes/Fuse/KernelClusters.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

FusionKind accel::getFusionKindOf(Operation *op) {
  if (isa<DropoutOp, RandomNormalOp>(op)) {
    return FusionKind::Elementwise;
  }
  auto fusable = dyn_cast<FusionOpInterface>(op);
  return fusable ? fusable.getFusionKind() : FusionKind::None;
}

static bool isAttention(Operation *op) {
  return isa<AttentionOp, AttentionGradOp>(op);
}

bool accel::isColumnReduction(Operation *op) {
  auto sum = dyn_cast<ReduceSumOp>(op);
  if (!sum) {
    return false;
  }
  int64_t rank = shapeOf(sum.getOperand()).size();
  return sum.getAxes().front() !=
         rank - static_cast<int64_t>(sum.getAxes().size());
}

int64_t accel::getReducedColumns(Operation *op) {
  return getNumElements(op->getOperand(0)) / getNumElements(op->getResult(0));
}

/// Whether `value` numbers the site of a random operation: what differs between
/// layers that share a kernel.
static bool isSiteOffset(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return llvm::TypeSwitch<Operation *, bool>(user)
        .Case<DropoutOp, RandomNormalOp, AttentionOp, AttentionGradOp>(
            [&](auto random) { return random.getSiteOffset() == value; })
        .Default(false);
  });
}

bool ClusterPlanner::isSource(Operation *op) {
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat() && !isSiteOffset(constant.getResult());
  }
  return isa_and_nonnull<IotaOp>(op);
}

ClusterPlanner::ClusterPlanner(ArrayRef<Operation *> section,
                               const Target &target)
    : target(target), ops(section.begin(), section.end()) {}

Value ClusterPlanner::getRoot(Value value) const {
  return getViewRoot(value, [&](Value v) { return materialized.contains(v); });
}

bool ClusterPlanner::isCompute(Operation *op) const {
  if (isViewOp(op)) {
    return llvm::any_of(op->getResults(),
                        [&](Value v) { return materialized.contains(v); });
  }
  if (isAttention(op) || isProduct(op)) {
    return true;
  }
  switch (getFusionKindOf(op)) {
  case FusionKind::Elementwise:
  case FusionKind::Assembly:
  case FusionKind::Reduction:
  case FusionKind::Gather:
  case FusionKind::ScatterAdd:
    return true;
  default:
    return false;
  }
}

void ClusterPlanner::plan() {
  isolateSinks();
  graph.reset(ops);
  addSymbolOrder();
  for (auto [i, op] : llvm::enumerate(ops)) {
    positions[op] = i;
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    place(ops[i]);
  }
  placeEpilogues();
  // Column sums come last: only now is it known which values are in memory
  // anyway.
  for (Operation *op : std::vector<Operation *>(ops)) {
    if (isColumnReduction(op) || isa<ScatterAddOp>(op)) {
      placeColumns(op);
    }
  }
  eraseUnused();
  graph.reset(ops);
  addSymbolOrder();
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// A result that goes to a symbol is produced in place there: it must be some
/// kernel's own, whole, and used nowhere else as what it was before an
/// accumulation. Anything else is copied first.
void ClusterPlanner::isolateSinks() {
  std::vector<Operation *> extended;
  for (Operation *op : ops) {
    auto write = dyn_cast<WriteOp>(op);
    if (isa<WriteOp, AccumulateOp, MetricOp>(op) && !(write && isFill(write))) {
      Value value = op->getOperands().back();
      Operation *producer = value.getDefiningOp();
      bool produced = producer && producer->getBlock() == op->getBlock() &&
                      llvm::is_contained(ops, producer) &&
                      !isSource(producer) && !isViewOp(producer) &&
                      !isAttention(producer) && isCompute(producer);
      bool isMetric = isa<MetricOp>(op);
      bool alreadyStored = isMetric && isa_and_nonnull<ReadOp>(producer);
      if (!alreadyStored &&
          !(produced && (isMetric || value.hasOneUse() ||
                         (isa<WriteOp>(op) && isCompute(producer))))) {
        OpBuilder builder(op);
        auto copy =
            ReshapeOp::create(builder, op->getLoc(), value.getType(), value);
        materialized.insert(copy.getResult());
        op->setOperand(op->getNumOperands() - 1, copy.getResult());
        extended.push_back(copy);
      }
    }
    extended.push_back(op);
  }
  ops = std::move(extended);
}

/// What only served a sum that now has producers of its own is used by nobody.
void ClusterPlanner::eraseUnused() {
  std::vector<Operation *> used;
  for (Operation *op : llvm::reverse(ops)) {
    if (!op->use_empty() || !isa<DifferentiableOpInterface>(op)) {
      used.push_back(op);
      continue;
    }
    if (auto cluster = clusterOf.find(op); cluster != clusterOf.end()) {
      llvm::erase(clusters[cluster->second].ops, op);
      clusterOf.erase(cluster);
    }
    op->erase();
  }
  ops.assign(used.rbegin(), used.rend());
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

/// A value written to a symbol is produced in place, so whoever reads what was
/// there before has to come before the producer.
void ClusterPlanner::addSymbolOrder() {
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
    Operation *producer = op->getOperand(0).getDefiningOp();
    SmallVector<Operation *> users;
    for (Operation *read : reads[name]) {
      graph.addEdge(read, op);
      collectUsers(read->getResult(0), users);
    }
    bool blocked = llvm::any_of(users, [&](Operation *user) {
      return user != producer && graph.contains(user) &&
             graph.reaches(producer, user);
    });
    if (blocked) {
      // A reader needs the new value as well as the old one: write a copy once
      // it is done.
      Operation *copy = insertCopy(op->getOperand(0), op);
      producer = copy;
    }
    for (Operation *user : users) {
      if (graph.contains(user) && user != producer) {
        graph.addEdge(user, producer);
      }
    }
    if (isa<WriteOp>(op)) {
      lastWrite[name] = op;
      reads[name].clear();
    }
  }
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// An operation in front of which a copy was put is met a second time.
void ClusterPlanner::place(Operation *op) {
  if (clusterOf.count(op)) {
    return;
  }
  if (isProduct(op)) {
    return placeProduct(op);
  }
  if (auto write = dyn_cast<WriteOp>(op); write && isFill(write)) {
    return;
  }
  if (isa<WriteOp, AccumulateOp, MetricOp>(op)) {
    return materializeContiguous(op);
  }
  bool isColumns = isColumnReduction(op) || isa<ScatterAddOp>(op);
  if (isColumns || !isCompute(op)) {
    return;
  }
  if (isAttention(op)) {
    placeAttention(op);
  } else if (isViewOp(op)) {
    placeCopy(op);
  } else if (isa<ConcatOp>(op)) {
    start(op, KernelKind::Concat, getNumElements(op->getResult(0)), 0,
          /*open=*/false);
  } else if (getFusionKindOf(op) == FusionKind::Reduction) {
    placeRowReduction(op);
  } else {
    placeElementwise(op);
  }
}

/// A constant that is written where a kernel has read what was there before is
/// written by that kernel: gradients are cleared by the update that used them.
void ClusterPlanner::placeCopy(Operation *op) {
  int64_t elements = getNumElements(op->getResult(0));
  bool isWritten = op->getResult(0).hasOneUse() &&
                   isa<WriteOp>(*op->getResult(0).user_begin());
  if (isWritten && isSource(getRoot(op->getOperand(0)).getDefiningOp())) {
    for (Operation *reader : llvm::reverse(graph.getPredecessors(op))) {
      auto found = clusterOf.find(reader);
      if (found == clusterOf.end()) {
        continue;
      }
      const Cluster &cluster = clusters[found->second];
      bool fits = cluster.kind == KernelKind::Rows && cluster.open &&
                  cluster.elements == elements;
      if (fits && !closesCycle({found->second}, op)) {
        merge({found->second}, op, elements, cluster.columns);
        return;
      }
    }
  }
  start(op, KernelKind::Rows, elements, 0, /*open=*/false);
}

unsigned ClusterPlanner::start(Operation *op, KernelKind kind, int64_t elements,
                               int64_t columns, bool open) {
  clusters.push_back({kind, elements, columns, open, {op}});
  clusterOf[op] = clusters.size() - 1;
  return clusters.size() - 1;
}

/// Puts a copy of `value` in front of `user`, which uses it from then on.
Operation *ClusterPlanner::insertCopy(Value value, Operation *user) {
  OpBuilder builder(user);
  Operation *copy =
      ReshapeOp::create(builder, user->getLoc(), value.getType(), value);
  materialized.insert(copy->getResult(0));
  user->replaceUsesOfWith(value, copy->getResult(0));
  ops.insert(llvm::find(ops, user), copy);
  graph.insert(copy);
  if (Operation *producer = value.getDefiningOp();
      producer && graph.contains(producer)) {
    graph.addEdge(producer, copy);
  }
  graph.addEdge(copy, user);
  return copy;
}

/// Makes `user` read a copy of `value`, with a kernel of its own, instead of
/// the views that make it.
void ClusterPlanner::materialize(Value value, Operation *user) {
  if (Operation *earlier = copies.lookup(value)) {
    user->replaceUsesOfWith(value, earlier->getResult(0));
    graph.addEdge(earlier, user);
    return;
  }
  Operation *copy = insertCopy(value, user);
  copies[value] = copy;
  start(copy, KernelKind::Rows, getNumElements(value), 0, /*open=*/false);
}

/// Sinks take contiguous operands.
void ClusterPlanner::materializeContiguous(Operation *op) {
  for (Value operand : SmallVector<Value>(op->getOperands())) {
    int64_t offset = 0;
    Value root = getRoot(operand);
    if (!isContiguousPart(operand, root, offset) ||
        isSource(root.getDefiningOp())) {
      materialize(operand, op);
    }
  }
}

/// Products and attention take operands that lie in memory, as the target can
/// read them.
void ClusterPlanner::materializeUnreadable(Operation *op) {
  for (Value operand : SmallVector<Value>(op->getOperands())) {
    Value root = getRoot(operand);
    if (!target.readsInPlace(op, operand, root) ||
        isSource(root.getDefiningOp())) {
      materialize(operand, op);
    }
  }
}

void ClusterPlanner::refuse(Operation *op, Value operand, StringRef reason) {
  refusals.push_back({op, getRoot(operand).getDefiningOp(), reason.str()});
}

std::vector<Refusal> ClusterPlanner::getRefusals() const {
  std::vector<Refusal> apart;
  for (const Refusal &refusal : refusals) {
    auto op = clusterOf.find(refusal.op);
    auto producer = clusterOf.find(refusal.producer);
    if (op != clusterOf.end() && producer != clusterOf.end() &&
        op->second != producer->second) {
      apart.push_back(refusal);
    }
  }
  return apart;
}

/// Whether `op` can share the loop of `cluster` by way of `operand`, if rows
/// have `columns` elements (0: not fixed).
Decision ClusterPlanner::joins(const Cluster &cluster, Operation *op,
                               Value operand, int64_t columns) const {
  if (cluster.kind != KernelKind::Rows || !cluster.open) {
    return Decision::no("its loop takes no other operations");
  }
  Value root = getRoot(operand);
  AccessRelation relation = getAccessRelation(operand, root);
  bool isReduction = getFusionKindOf(op) == FusionKind::Reduction;
  int64_t elements =
      getNumElements(isReduction ? op->getOperand(0) : op->getResult(0));
  bool isIdentity = relation.kind == AccessKind::Identity;
  bool rootIsFull = getNumElements(root) == cluster.elements;
  bool rootIsRow =
      cluster.columns > 1 && getNumElements(root) == cluster.rows();
  bool isFull = isIdentity && rootIsFull && elements == cluster.elements;
  bool isOfRows = isIdentity && rootIsRow && elements == cluster.rows();
  bool readsRows = relation.kind == AccessKind::RowBroadcast && rootIsRow &&
                   relation.columns == cluster.columns &&
                   elements == cluster.elements;
  if (isReduction && isFull && cluster.columns != 0 &&
      cluster.columns != columns) {
    return Decision::no("it has rows of another length");
  }
  if (!isFull && (isReduction || !(isOfRows || readsRows))) {
    return Decision::no("it iterates in another order");
  }
  return target.mayJoin(
      {LoopKind::Rows, cluster.ops, cluster.rows(), cluster.columns}, op,
      !isFull && readsRows);
}

/// Whether every operand of `op` can be walked in rows of `columns`; those that
/// can not are put into `offending`.
bool ClusterPlanner::operandsAllowColumns(
    Operation *op, int64_t elements, int64_t columns,
    SmallVectorImpl<Value> &offending) const {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    int64_t perSample = elements / getNumElements(dropout.getSamples());
    if (perSample % columns != 0) {
      return false;
    }
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    int64_t width = getNumElements(gather.getResult()) /
                    getNumElements(gather.getIndices());
    Value table = gather.getTable();
    return width % columns == 0 &&
           getRunLength(table, getRoot(table), columns) == columns;
  }
  for (Value operand : op->getOperands()) {
    Value root = getRoot(operand);
    if (getNumElements(operand) != elements || columns == 1) {
      continue;
    }
    bool fits = getRunLength(operand, root, columns) == columns;
    if (fits && isa_and_nonnull<IotaOp>(root.getDefiningOp()) &&
        getRunStride(operand, root) == 1) {
      fits = shapeOf(root).back() % columns == 0;
    }
    if (!fits) {
      offending.push_back(operand);
    }
  }
  return llvm::all_of(offending,
                      [](Value v) { return isViewOp(v.getDefiningOp()); });
}

bool ClusterPlanner::allowsColumns(const Cluster &cluster,
                                   int64_t columns) const {
  return llvm::all_of(cluster.ops, [&](Operation *op) {
    SmallVector<Value> offending;
    return operandsAllowColumns(op, cluster.elements, columns, offending) &&
           offending.empty();
  });
}

void ClusterPlanner::merge(ArrayRef<unsigned> numbers, Operation *op,
                           int64_t elements, int64_t columns) {
  if (numbers.empty()) {
    start(op, KernelKind::Rows, elements, columns, /*open=*/true);
    return;
  }
  Cluster &target = clusters[numbers[0]];
  for (unsigned number : numbers.drop_front()) {
    for (Operation *moved : clusters[number].ops) {
      clusterOf[moved] = numbers[0];
      target.ops.push_back(moved);
    }
    clusters[number].ops.clear();
    clusters[number].open = false;
  }
  target.columns = columns;
  target.ops.push_back(op);
  clusterOf[op] = numbers[0];
}

void ClusterPlanner::placeElementwise(Operation *op) {
  int64_t elements = getNumElements(op->getResult(0));
  SmallVector<unsigned> chosen;
  int64_t space = elements;
  int64_t columns = 0;
  for (Value operand :
       isa<GatherOp>(op) ? ValueRange() : ValueRange(op->getOperands())) {
    Operation *producer = getRoot(operand).getDefiningOp();
    auto found = clusterOf.find(producer);
    if (!producer || found == clusterOf.end() ||
        llvm::is_contained(chosen, found->second)) {
      continue;
    }
    const Cluster &cluster = clusters[found->second];
    if (Decision decision = joins(cluster, op, operand, 0); !decision) {
      refuse(op, operand, decision.getReason());
      continue;
    }
    bool first = chosen.empty();
    bool sameSpace =
        cluster.elements == space &&
        (cluster.columns == columns || cluster.columns == 0 || columns == 0);
    if (!first && !sameSpace) {
      refuse(op, operand, "another operand's kernel iterates differently");
      continue;
    }
    int64_t newColumns = std::max(columns, cluster.columns);
    SmallVector<unsigned> tried(chosen);
    tried.push_back(found->second);
    bool fits = llvm::all_of(tried, [&](unsigned number) {
      return newColumns == clusters[number].columns ||
             allowsColumns(clusters[number], newColumns);
    });
    if (!fits) {
      refuse(op, operand, "what it reads does not lie in rows of that length");
    } else if (closesCycle(tried, op)) {
      refuse(op, operand, "the kernel would wait for itself");
    } else {
      chosen = tried;
      columns = newColumns;
      space = cluster.elements;
    }
  }
  if (columns != 0 && elements == space) {
    SmallVector<Value> offending;
    if (!operandsAllowColumns(op, elements, columns, offending)) {
      chosen.clear();
      columns = 0;
      space = elements;
    } else {
      llvm::for_each(offending, [&](Value value) { materialize(value, op); });
    }
  }
  merge(chosen, op, space, columns);
}

/// Attention writes its results in the order that their only user asks for.
void ClusterPlanner::placeAttention(Operation *op) {
  materializeUnreadable(op);
  unsigned number = start(op, KernelKind::Attention, 1, 0, /*open=*/false);
  for (Value result : op->getResults()) {
    Operation *user = result.hasOneUse() ? *result.user_begin() : nullptr;
    if (keepsLastDimension(user) && graph.contains(user)) {
      materialized.insert(user->getResult(0));
      clusters[number].ops.push_back(user);
      clusterOf[user] = number;
    }
  }
}

void ClusterPlanner::placeRowReduction(Operation *op) {
  Value operand = op->getOperand(0);
  int64_t elements = getNumElements(operand);
  int64_t columns = getReducedColumns(op);
  Operation *producer = getRoot(operand).getDefiningOp();
  if (auto found = clusterOf.find(producer);
      producer && found != clusterOf.end()) {
    const Cluster &cluster = clusters[found->second];
    Decision decision = joins(cluster, op, operand, columns);
    if (!decision) {
      refuse(op, operand, decision.getReason());
    } else if (cluster.columns != columns && !allowsColumns(cluster, columns)) {
      refuse(op, operand, "what it reads does not lie in rows of that length");
    } else if (closesCycle({found->second}, op)) {
      refuse(op, operand, "the kernel would wait for itself");
    } else {
      merge({found->second}, op, elements, columns);
      return;
    }
  }
  SmallVector<Value> offending;
  operandsAllowColumns(op, elements, columns, offending);
  llvm::for_each(offending, [&](Value value) { materialize(value, op); });
  start(op, KernelKind::Rows, elements, columns, /*open=*/true);
}
