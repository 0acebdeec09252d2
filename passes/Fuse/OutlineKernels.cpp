// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the clusters that the fusion planner forms by calls of kernel
// functions, each distinct one stored once.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/KernelClusters.h"
#include "passes/Fuse/KernelOrder.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace accel {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// A cluster's interface: what it reads and what others use of it.
struct Interface {
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  SmallVector<bool> accumulates;
};

class Outliner {
public:
  Outliner(ModuleOp module, const Target &target)
      : module(module), target(target) {}

  LogicalResult run(Block &block);

private:
  LogicalResult runSection(ArrayRef<Operation *> section, Operation *anchor);
  void emitCall(const ClusterPlanner &planner, unsigned number,
                DenseMap<unsigned, Interface> &interfaces, Operation *anchor);
  Interface findInterface(const ClusterPlanner &planner, const Cluster &cluster,
                          unsigned number);
  func::FuncOp buildKernel(const ClusterPlanner &planner,
                           const Cluster &cluster, const Interface &interface);
  Value cloneInto(const ClusterPlanner &planner, OpBuilder &builder,
                  IRMapping &map, Value value);
  IterationDomain describe(const ClusterPlanner &planner,
                           const Cluster &cluster);
  IterationDomain describeProduct(MatmulOp op) const;
  func::FuncOp unify(func::FuncOp kernel, const Cluster &cluster);

  ModuleOp module;
  const Target &target;
  llvm::StringMap<func::FuncOp> known; ///< by text without names
  llvm::StringMap<unsigned> names;
};

/// Adds the roots of what `value` is made of to `inputs`: through views and
/// sources, up to members and leaves.
void collectInputs(const ClusterPlanner &planner, unsigned number, Value value,
                   llvm::SetVector<Value> &inputs) {
  Value root = planner.getRoot(value);
  Operation *producer = root.getDefiningOp();
  auto found = planner.getClusterOf().find(producer);
  bool isMember = producer && found != planner.getClusterOf().end() &&
                  found->second == number;
  if (!isMember && !ClusterPlanner::isSource(producer)) {
    inputs.insert(root);
  }
}

Interface Outliner::findInterface(const ClusterPlanner &planner,
                                  const Cluster &cluster, unsigned number) {
  Interface interface;
  for (Operation *op : cluster.ops) {
    for (Value operand : op->getOperands()) {
      collectInputs(planner, number, operand, interface.inputs);
    }
    for (Value result : op->getResults()) {
      bool isCopied = !isViewOp(op) || planner.getRoot(result) == result;
      if (isCopied && planner.isUsedOutside(result, number)) {
        interface.outputs.push_back(result);
        interface.accumulates.push_back(
            result.hasOneUse() && isa<AccumulateOp>(*result.user_begin()));
      }
    }
  }
  return interface;
}

/// Clones `value` and whatever views and sources it is made by; members are
/// already there.
Value Outliner::cloneInto(const ClusterPlanner &planner, OpBuilder &builder,
                          IRMapping &map, Value value) {
  if (Value there = map.lookupOrNull(value)) {
    return there;
  }
  Operation *producer = value.getDefiningOp();
  for (Value operand : producer->getOperands()) {
    cloneInto(planner, builder, map, operand);
  }
  Operation *copy = builder.clone(*producer, map);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// The longest run that all accesses of a cluster without row reductions can be
/// made in.
int64_t findRun(const ClusterPlanner &planner, const Cluster &cluster) {
  int64_t run = cluster.elements;
  for (Operation *op : cluster.ops) {
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      run = std::gcd(run,
                     cluster.elements / getNumElements(dropout.getSamples()));
    }
    if (auto gather = dyn_cast<GatherOp>(op)) {
      int64_t width = cluster.elements / getNumElements(gather.getIndices());
      run = getRunLength(gather.getTable(), planner.getRoot(gather.getTable()),
                         std::gcd(run, width));
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (getNumElements(operand) != cluster.elements) {
        continue;
      }
      Value root = planner.getRoot(operand);
      run = getRunLength(operand, root, run);
      bool isIndex = isa_and_nonnull<IotaOp>(root.getDefiningOp()) && run > 1 &&
                     getRunStride(operand, root) == 1;
      if (isIndex) {
        run = std::gcd(
            run, cast<RankedTensorType>(root.getType()).getShape().back());
      }
    }
  }
  return run;
}

/// The scores: those of each head, row by row.
IterationDomain describeAttention(Operation *op) {
  ArrayRef<int64_t> query = shapeOf(op->getOperand(0));
  int64_t columns = shapeOf(op->getOperand(1))[2];
  return IterationDomain::make(
      LoopKind::Attention, query[0] * query[1] * query[2] * columns, columns);
}

IterationDomain Outliner::describeProduct(MatmulOp op) const {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  IterationDomain domain = IterationDomain::make(
      LoopKind::Product, getNumElements(op.getResult()), shape.back());
  domain.matrices = llvm::product_of(shape.drop_back(2));
  domain.block = target.getSumBlock(op);
  return domain;
}

IterationDomain Outliner::describe(const ClusterPlanner &planner,
                                   const Cluster &cluster) {
  if (cluster.kind == KernelKind::Attention) {
    return describeAttention(cluster.ops.front());
  }
  if (cluster.kind == KernelKind::Product) {
    return describeProduct(cast<MatmulOp>(cluster.ops.front()));
  }
  LoopKind kind = LoopKind::Rows;
  int64_t columns = cluster.columns;
  if (cluster.kind == KernelKind::Concat) {
    auto concat = cast<ConcatOp>(cluster.ops.front());
    ArrayRef<int64_t> shape = concat.getType().getShape();
    int64_t rows =
        std::accumulate(shape.begin(), shape.begin() + concat.getAxis(),
                        int64_t(1), std::multiplies<>());
    kind = LoopKind::Concat;
    columns = cluster.elements / rows;
  } else if (cluster.kind == KernelKind::Columns) {
    kind = LoopKind::Columns;
  } else if (columns == 0) {
    columns = findRun(planner, cluster);
    bool isFlat = columns == cluster.elements &&
                  llvm::none_of(cluster.ops, [](Operation *op) {
                    return isa<DropoutOp, GatherOp, RandomNormalOp>(op);
                  });
    kind = isFlat ? LoopKind::Flat : LoopKind::Rows;
    columns = isFlat ? columns : target.getRowLength(columns);
  }
  return IterationDomain::make(kind, cluster.elements, columns);
}

func::FuncOp Outliner::buildKernel(const ClusterPlanner &planner,
                                   const Cluster &cluster,
                                   const Interface &interface) {
  MLIRContext *context = module.getContext();
  SmallVector<Type> inputTypes = llvm::map_to_vector(
      interface.inputs, [](Value v) { return v.getType(); });
  SmallVector<Type> outputTypes = llvm::map_to_vector(
      interface.outputs, [](Value v) { return v.getType(); });
  Location loc = UnknownLoc::get(context);
  auto kernel = func::FuncOp::create(
      loc, "kernel", FunctionType::get(context, inputTypes, outputTypes));
  kernel.setPrivate();
  Block *body = kernel.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  IRMapping map;
  for (auto [input, argument] :
       llvm::zip(interface.inputs, body->getArguments())) {
    map.map(input, argument);
  }
  for (Value output : interface.outputs) {
    cloneInto(planner, builder, map, output);
  }
  SmallVector<Value> results = llvm::map_to_vector(
      interface.outputs, [&](Value v) { return map.lookup(v); });
  func::ReturnOp::create(builder, loc, results);
  kernel.walk([&](Operation *op) { op->setLoc(loc); });
  kernel->setAttr(kKernelAttr, describe(planner, cluster).getAttr(context));
  for (auto [i, accumulates] : llvm::enumerate(interface.accumulates)) {
    if (accumulates) {
      kernel.setResultAttr(i, kAccumulateAttr, UnitAttr::get(context));
    }
  }
  return kernel;
}

std::string describeSizes(MatmulOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  int64_t matrices = llvm::product_of(shape.drop_back(2));
  std::string text = matrices > 1 ? llvm::formatv("{0}x", matrices).str() : "";
  return text + llvm::formatv("{0}x{1}x{2}", shape[shape.size() - 2],
                              shape.back(), getSummedElements(op))
                    .str();
}

/// A name that tells what a kernel does: its most telling operations, the sizes
/// of a product (rows x columns x summed), and a number.
std::string describeOps(const Cluster &cluster) {
  SmallVector<std::string> words;
  for (Operation *op : cluster.ops) {
    std::string word = op->getName().stripDialect().str();
    if (ClusterPlanner::isProduct(op)) {
      word += "_" + describeSizes(cast<MatmulOp>(op));
    }
    bool isTelling = isViewOp(op) ? cluster.ops.size() == 1 ||
                                        cluster.kind != KernelKind::Attention
                                  : !isa<AddOp, SubOp, MulOp, CastOp, SelectOp,
                                         CompareOp, AndOp, BroadcastOp>(op);
    if (isTelling && words.size() < 3 && !llvm::is_contained(words, word)) {
      words.push_back(isViewOp(op) ? "copy" : word);
    }
  }
  if (words.empty()) {
    words.push_back(cluster.ops.front()->getName().stripDialect().str());
  }
  return llvm::join(words, "_");
}

func::FuncOp Outliner::unify(func::FuncOp kernel, const Cluster &cluster) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  auto [entry, isNew] = known.try_emplace(text, kernel);
  if (!isNew) {
    kernel.erase();
    return entry->second;
  }
  std::string name = describeOps(cluster);
  do { // a parameter may have the name
    kernel.setName(llvm::formatv("{0}_{1}", name, names[name]++).str());
  } while (module.lookupSymbol(kernel.getSymName()));
  module.push_back(kernel);
  return kernel;
}

/// Erases the members of clusters and the views and constants that only they
/// used.
void eraseReplaced(ArrayRef<Operation *> ops, const ClusterPlanner &planner,
                   ArrayRef<Operation *> replaced) {
  for (Operation *op : replaced) {
    op->dropAllReferences();
  }
  for (Operation *op : llvm::reverse(ops)) {
    bool isLeftOver = !planner.getClusterOf().count(op) && op->use_empty() &&
                      isa<DifferentiableOpInterface>(op);
    if (isLeftOver) {
      op->erase();
    }
  }
  for (Operation *op : replaced) {
    op->erase();
  }
}

/// Puts a call of its kernel in front of `anchor` and lets all others read the
/// call's results.
void Outliner::emitCall(const ClusterPlanner &planner, unsigned number,
                        DenseMap<unsigned, Interface> &interfaces,
                        Operation *anchor) {
  Interface &interface = interfaces[number];
  const Cluster &cluster = planner.getClusters()[number];
  func::FuncOp kernel =
      unify(buildKernel(planner, cluster, interface), cluster);
  OpBuilder builder(anchor);
  // A product is what takes the time, whatever is computed of it.
  bool isProduct = cluster.kind == KernelKind::Product;
  Operation *named = isProduct ? cluster.ops.front() : cluster.ops.back();
  auto call = func::CallOp::create(builder, named->getLoc(), kernel,
                                   interface.inputs.getArrayRef());
  for (auto [output, result] :
       llvm::zip(interface.outputs, call.getResults())) {
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      auto user = planner.getClusterOf().find(use.getOwner());
      return user == planner.getClusterOf().end() || user->second != number;
    });
    // Whoever comes later finds the result where the output was.
    for (auto &[other, otherInterface] : interfaces) {
      if (otherInterface.inputs.contains(output)) {
        llvm::SetVector<Value> renamed;
        for (Value input : otherInterface.inputs) {
          renamed.insert(input == output ? result : input);
        }
        otherInterface.inputs = std::move(renamed);
      }
    }
  }
}

/// The planner promises it; this is how it is known.
static LogicalResult verifyNoCircle(const KernelOrder &order) {
  if (order.getCircle().empty()) {
    return success();
  }
  InFlightDiagnostic error = order.getCircle().front()->emitOpError(
      "is in a kernel that would wait for itself: the fusion planner is at "
      "fault; please report it with the model");
  for (Operation *op : order.getCircle().drop_front()) {
    error.attachNote(op->getLoc()) << "through " << *op;
  }
  return error;
}

/// What `accelc --remarks=fuse` shows.
static void reportRefusals(const ClusterPlanner &planner) {
  for (const Refusal &refusal : planner.getRefusals()) {
    remark::missed(
        refusal.op->getLoc(),
        remark::RemarkOpts::name("Fusion").category("accel-outline-kernels"))
        << remark::add("{0} is not computed in the kernel of {1}",
                       refusal.op->getName(), refusal.producer->getName())
        << remark::reason("{0}", refusal.reason);
  }
}

LogicalResult Outliner::runSection(ArrayRef<Operation *> section,
                                   Operation *anchor) {
  ClusterPlanner planner(section, target);
  planner.plan();
  reportRefusals(planner);
  DenseMap<unsigned, Interface> interfaces;
  for (auto [number, cluster] : llvm::enumerate(planner.getClusters())) {
    if (!cluster.ops.empty()) {
      interfaces[number] = findInterface(planner, cluster, number);
    }
  }
  KernelOrder order(planner.getOps(), planner.getClusterOf(),
                    [&](Operation *op) { return planner.getPredecessors(op); });
  if (failed(verifyNoCircle(order))) {
    return failure();
  }
  SmallVector<Operation *> replaced;
  for (ArrayRef<Operation *> unit : order.getUnits()) {
    auto number = planner.getClusterOf().find(unit.front());
    if (number == planner.getClusterOf().end()) {
      unit.front()->moveBefore(anchor);
      continue;
    }
    emitCall(planner, number->second, interfaces, anchor);
    replaced.append(unit.begin(), unit.end());
  }
  eraseReplaced(planner.getOps(), planner, replaced);
  return success();
}

LogicalResult Outliner::run(Block &block) {
  SmallVector<Operation *> section;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool ends = isa<RepeatOp>(op) || isa<dist::DistDialect>(op.getDialect()) ||
                op.hasTrait<OpTrait::IsTerminator>();
    if (!ends) {
      section.push_back(&op);
      continue;
    }
    if (failed(runSection(section, &op))) {
      return failure();
    }
    section.clear();
    auto repeat = dyn_cast<RepeatOp>(op);
    if (repeat && failed(run(repeat.getBody().front()))) {
      return failure();
    }
  }
  if (!section.empty()) {
    // A loop's body has no terminator that kernels could be put in front of.
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    Operation *end = RepeatOp::create(builder, section.back()->getLoc());
    LogicalResult done = runSection(section, end);
    end->erase();
    return done;
  }
  return success();
}

class OutlineKernelsPass
    : public accel::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
public:
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Target *target = findTarget(targetName, module);
    if (!target) {
      return signalPassFailure();
    }
    Outliner outliner(module, *target);
    for (func::FuncOp function : getProgram(module)) {
      if (failed(outliner.run(function.getBody().front()))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
