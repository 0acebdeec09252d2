// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the groups that the fusion planner forms by calls of kernel
// functions, each distinct one stored once.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Fuse/FusionPlanner.h"
#include "passes/Fuse/KernelLibrary.h"
#include "passes/Fuse/KernelOrder.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/IR/Remarks.h"

namespace accel {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Outlines one straight-line section of a function.
/// Borrows: its arguments.
class SectionOutliner {
public:
  SectionOutliner(ArrayRef<Operation *> section, const Target &target,
                  KernelLibrary &kernels)
      : planner(section, target), kernels(kernels) {}

  /// Puts calls and what is in no kernel in front of `anchor`.
  LogicalResult run(Operation *anchor);

private:
  void emitCall(const FusionPlan &plan, unsigned number, Operation *anchor);
  void replaceOutput(const FusionPlan &plan, unsigned number, Value output,
                     Value result);

  FusionPlanner planner;
  KernelLibrary &kernels;
  DenseMap<unsigned, KernelInterface> interfaces; ///< by number of the group
};

} // namespace

/// Erases the members of groups and the views and constants that only they
/// used.
static void eraseReplaced(const FusionPlan &plan,
                          ArrayRef<Operation *> replaced) {
  for (Operation *op : replaced) {
    op->dropAllReferences();
  }
  for (Operation *op : llvm::reverse(plan.getSection().getOps())) {
    bool isLeftOver =
        !plan.find(op) && op->use_empty() && isa<DifferentiableOpInterface>(op);
    if (isLeftOver) {
      op->erase();
    }
  }
  for (Operation *op : replaced) {
    op->erase();
  }
}

/// Lets all others than group `number` read `result` instead of `output`.
void SectionOutliner::replaceOutput(const FusionPlan &plan, unsigned number,
                                    Value output, Value result) {
  output.replaceUsesWithIf(result, [&](OpOperand &use) {
    return plan.find(use.getOwner()) != number;
  });
  // Whoever comes later finds the result where the output was.
  for (auto &[other, interface] : interfaces) {
    interface.replaceInput(output, result);
  }
}

/// Puts a call of its kernel in front of `anchor` and lets all others read the
/// call's results.
void SectionOutliner::emitCall(const FusionPlan &plan, unsigned number,
                               Operation *anchor) {
  KernelInterface &interface = interfaces[number];
  const FusionGroup &group = plan.getGroup(number);
  func::FuncOp kernel = kernels.get(plan, group, interface);
  // A product is what takes the time, whatever is computed of it.
  bool isProduct = group.kind == LoopKind::Product;
  Operation *named = isProduct ? group.ops.front() : group.ops.back();
  OpBuilder builder(anchor);
  auto call = func::CallOp::create(builder, named->getLoc(), kernel,
                                   interface.inputs.getArrayRef());
  for (auto [output, result] :
       llvm::zip(interface.outputs, call.getResults())) {
    replaceOutput(plan, number, output, result);
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

LogicalResult SectionOutliner::run(Operation *anchor) {
  const FusionPlan &plan = planner.plan();
  reportRefusals(plan);
  for (auto [number, group] : llvm::enumerate(plan.getGroups())) {
    if (!group.ops.empty()) {
      interfaces[number] = KernelInterface::find(plan, number);
    }
  }
  const FusionSection &section = plan.getSection();
  KernelOrder order(section.getOps(), plan.getGroupOf(), [&](Operation *op) {
    return section.getGraph().getPredecessors(op);
  });
  if (failed(verifyNoCycle(order))) {
    return failure();
  }
  SmallVector<Operation *> replaced;
  for (ArrayRef<Operation *> unit : order.getUnits()) {
    std::optional<unsigned> number = plan.find(unit.front());
    if (!number) {
      unit.front()->moveBefore(anchor);
      continue;
    }
    emitCall(plan, *number, anchor);
    replaced.append(unit.begin(), unit.end());
  }
  eraseReplaced(plan, replaced);
  return success();
}

/// Outlines the kernels of `block`, section by section: loops and what ranks do
/// together end one.
static LogicalResult outlineBlock(Block &block, const Target &target,
                                  KernelLibrary &kernels) {
  SmallVector<Operation *> section;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool ends = isa<RepeatOp>(op) || isa<dist::DistDialect>(op.getDialect()) ||
                op.hasTrait<OpTrait::IsTerminator>();
    if (!ends) {
      section.push_back(&op);
      continue;
    }
    if (failed(SectionOutliner(section, target, kernels).run(&op))) {
      return failure();
    }
    section.clear();
    auto repeat = dyn_cast<RepeatOp>(op);
    if (repeat &&
        failed(outlineBlock(repeat.getBody().front(), target, kernels))) {
      return failure();
    }
  }
  if (section.empty()) {
    return success();
  }
  // A loop's body has no terminator that kernels could be put in front of.
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Operation *end = RepeatOp::create(builder, section.back()->getLoc());
  LogicalResult done = SectionOutliner(section, target, kernels).run(end);
  end->erase();
  return done;
}

namespace {

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
    KernelLibrary kernels(module, *target);
    for (func::FuncOp function : getProgram(module)) {
      if (failed(outlineBlock(function.getBody().front(), *target, kernels))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
