// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the groups that the fusion planner forms by calls of kernel
// functions, each distinct one stored once.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionPlanner.h"
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

/// A group's interface: what it reads and what others use of it.
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
  void emitCall(const FusionPlan &plan, unsigned number,
                DenseMap<unsigned, Interface> &interfaces, Operation *anchor);
  Interface findInterface(const FusionPlan &plan, const FusionGroup &group,
                          unsigned number);
  func::FuncOp buildKernel(const FusionPlan &plan, const FusionGroup &group,
                           const Interface &interface);
  Value cloneInto(const FusionPlan &plan, OpBuilder &builder, IRMapping &map,
                  Value value);
  IterationDomain describe(const FusionPlan &plan, const FusionGroup &group);
  IterationDomain describeProduct(MatmulOp op) const;
  func::FuncOp unify(func::FuncOp kernel, const FusionGroup &group);

  ModuleOp module;
  const Target &target;
  llvm::StringMap<func::FuncOp> known; ///< by text without names
  llvm::StringMap<unsigned> names;
};

/// Adds the roots of what `value` is made of to `inputs`: through views and
/// sources, up to members and leaves.
void collectInputs(const FusionPlan &plan, unsigned number, Value value,
                   llvm::SetVector<Value> &inputs) {
  Value root = plan.getSection().getRoot(value);
  Operation *producer = root.getDefiningOp();
  auto found = plan.getGroupOf().find(producer);
  bool isMember =
      producer && found != plan.getGroupOf().end() && found->second == number;
  if (!isMember && !isSource(producer)) {
    inputs.insert(root);
  }
}

Interface Outliner::findInterface(const FusionPlan &plan,
                                  const FusionGroup &group, unsigned number) {
  Interface interface;
  for (Operation *op : group.ops) {
    for (Value operand : op->getOperands()) {
      collectInputs(plan, number, operand, interface.inputs);
    }
    for (Value result : op->getResults()) {
      bool isCopied =
          !isViewOp(op) || plan.getSection().getRoot(result) == result;
      if (isCopied && plan.isUsedOutside(result, number)) {
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
Value Outliner::cloneInto(const FusionPlan &plan, OpBuilder &builder,
                          IRMapping &map, Value value) {
  if (Value there = map.lookupOrNull(value)) {
    return there;
  }
  Operation *producer = value.getDefiningOp();
  for (Value operand : producer->getOperands()) {
    cloneInto(plan, builder, map, operand);
  }
  Operation *copy = builder.clone(*producer, map);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// The longest run that all accesses of a group without row reductions can be
/// made in.
int64_t findRun(const FusionPlan &plan, const FusionGroup &group) {
  int64_t run = group.elements;
  for (Operation *op : group.ops) {
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      run =
          std::gcd(run, group.elements / getNumElements(dropout.getSamples()));
    }
    if (auto gather = dyn_cast<GatherOp>(op)) {
      int64_t width = group.elements / getNumElements(gather.getIndices());
      run = getRunLength(gather.getTable(),
                         plan.getSection().getRoot(gather.getTable()),
                         std::gcd(run, width));
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (getNumElements(operand) != group.elements) {
        continue;
      }
      Value root = plan.getSection().getRoot(operand);
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

IterationDomain Outliner::describe(const FusionPlan &plan,
                                   const FusionGroup &group) {
  if (group.kind == LoopKind::Attention) {
    return describeAttention(group.ops.front());
  }
  if (group.kind == LoopKind::Product) {
    return describeProduct(cast<MatmulOp>(group.ops.front()));
  }
  LoopKind kind = LoopKind::Rows;
  int64_t columns = group.columns;
  if (group.kind == LoopKind::Concat) {
    auto concat = cast<ConcatOp>(group.ops.front());
    ArrayRef<int64_t> shape = concat.getType().getShape();
    int64_t rows =
        std::accumulate(shape.begin(), shape.begin() + concat.getAxis(),
                        int64_t(1), std::multiplies<>());
    kind = LoopKind::Concat;
    columns = group.elements / rows;
  } else if (group.kind == LoopKind::Columns) {
    kind = LoopKind::Columns;
  } else if (columns == 0) {
    columns = findRun(plan, group);
    bool isFlat = columns == group.elements &&
                  llvm::none_of(group.ops, [](Operation *op) {
                    return isa<DropoutOp, GatherOp, RandomNormalOp>(op);
                  });
    kind = isFlat ? LoopKind::Flat : LoopKind::Rows;
    columns = isFlat ? columns : target.getRowLength(columns);
  }
  return IterationDomain::make(kind, group.elements, columns);
}

func::FuncOp Outliner::buildKernel(const FusionPlan &plan,
                                   const FusionGroup &group,
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
    cloneInto(plan, builder, map, output);
  }
  SmallVector<Value> results = llvm::map_to_vector(
      interface.outputs, [&](Value v) { return map.lookup(v); });
  func::ReturnOp::create(builder, loc, results);
  kernel.walk([&](Operation *op) { op->setLoc(loc); });
  kernel->setAttr(kKernelAttr, describe(plan, group).getAttr(context));
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
std::string describeOps(const FusionGroup &group) {
  SmallVector<std::string> words;
  for (Operation *op : group.ops) {
    std::string word = op->getName().stripDialect().str();
    if (isProduct(op)) {
      word += "_" + describeSizes(cast<MatmulOp>(op));
    }
    bool isTelling = isViewOp(op) ? group.ops.size() == 1 ||
                                        group.kind != LoopKind::Attention
                                  : !isa<AddOp, SubOp, MulOp, CastOp, SelectOp,
                                         CompareOp, AndOp, BroadcastOp>(op);
    if (isTelling && words.size() < 3 && !llvm::is_contained(words, word)) {
      words.push_back(isViewOp(op) ? "copy" : word);
    }
  }
  if (words.empty()) {
    words.push_back(group.ops.front()->getName().stripDialect().str());
  }
  return llvm::join(words, "_");
}

func::FuncOp Outliner::unify(func::FuncOp kernel, const FusionGroup &group) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  auto [entry, isNew] = known.try_emplace(text, kernel);
  if (!isNew) {
    kernel.erase();
    return entry->second;
  }
  std::string name = describeOps(group);
  do { // a parameter may have the name
    kernel.setName(llvm::formatv("{0}_{1}", name, names[name]++).str());
  } while (module.lookupSymbol(kernel.getSymName()));
  module.push_back(kernel);
  return kernel;
}

/// Erases the members of groups and the views and constants that only they
/// used.
void eraseReplaced(ArrayRef<Operation *> ops, const FusionPlan &plan,
                   ArrayRef<Operation *> replaced) {
  for (Operation *op : replaced) {
    op->dropAllReferences();
  }
  for (Operation *op : llvm::reverse(ops)) {
    bool isLeftOver = !plan.getGroupOf().count(op) && op->use_empty() &&
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
void Outliner::emitCall(const FusionPlan &plan, unsigned number,
                        DenseMap<unsigned, Interface> &interfaces,
                        Operation *anchor) {
  Interface &interface = interfaces[number];
  const FusionGroup &group = plan.getGroups()[number];
  func::FuncOp kernel = unify(buildKernel(plan, group, interface), group);
  OpBuilder builder(anchor);
  // A product is what takes the time, whatever is computed of it.
  bool isProduct = group.kind == LoopKind::Product;
  Operation *named = isProduct ? group.ops.front() : group.ops.back();
  auto call = func::CallOp::create(builder, named->getLoc(), kernel,
                                   interface.inputs.getArrayRef());
  for (auto [output, result] :
       llvm::zip(interface.outputs, call.getResults())) {
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      auto user = plan.getGroupOf().find(use.getOwner());
      return user == plan.getGroupOf().end() || user->second != number;
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
static LogicalResult verifyNoCycle(const KernelOrder &order) {
  if (order.getCycle().empty()) {
    return success();
  }
  InFlightDiagnostic error = order.getCycle().front()->emitOpError(
      "is in a kernel that would wait for itself: the fusion planner is at "
      "fault; please report it with the model");
  for (Operation *op : order.getCycle().drop_front()) {
    error.attachNote(op->getLoc()) << "through " << *op;
  }
  return error;
}

/// What `accelc --remarks=fuse` shows.
static void reportRefusals(const FusionPlan &plan) {
  for (const Refusal &refusal : plan.getRefusals()) {
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
  FusionPlanner planner(section, target);
  const FusionPlan &plan = planner.plan();
  reportRefusals(plan);
  DenseMap<unsigned, Interface> interfaces;
  for (auto [number, group] : llvm::enumerate(plan.getGroups())) {
    if (!group.ops.empty()) {
      interfaces[number] = findInterface(plan, group, number);
    }
  }
  KernelOrder order(plan.getSection().getOps(), plan.getGroupOf(),
                    [&](Operation *op) {
                      return plan.getSection().getGraph().getPredecessors(op);
                    });
  if (failed(verifyNoCycle(order))) {
    return failure();
  }
  SmallVector<Operation *> replaced;
  for (ArrayRef<Operation *> unit : order.getUnits()) {
    auto number = plan.getGroupOf().find(unit.front());
    if (number == plan.getGroupOf().end()) {
      unit.front()->moveBefore(anchor);
      continue;
    }
    emitCall(plan, number->second, interfaces, anchor);
    replaced.append(unit.begin(), unit.end());
  }
  eraseReplaced(plan.getSection().getOps(), plan, replaced);
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
