// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of kernels in an order that is proven to exist.
#include "passes/Fuse/SectionOutliner.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Fuse/KernelOrder.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace accel;

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
void SectionOutliner::replaceOutput(unsigned number, Value output,
                                    Value result) {
  output.replaceUsesWithIf(result, [&](OpOperand &use) {
    return plan.find(use.getOwner()) != number;
  });
  replaced[output] = result;
}

/// Puts a call of its kernel in front of `anchor` and lets all others read the
/// call's results.
void SectionOutliner::emitCall(unsigned number, Operation *anchor) {
  KernelInterface &interface = interfaces[number];
  llvm::SetVector<Value> inputs;
  for (Value input : interface.inputs) {
    auto result = replaced.find(input);
    inputs.insert(result == replaced.end() ? input : result->second);
  }
  interface.inputs = std::move(inputs);
  const FusionGroup &group = plan.getGroup(number);
  func::FuncOp kernel = kernels.get(plan, group, interface);
  // A product, or an attention, is what takes the time, whatever is computed of
  // it.
  bool isFirst = group.kind == LoopKind::Product ||
                 group.kind == LoopKind::Attention ||
                 group.kind == LoopKind::Grouped;
  Operation *named = isFirst ? group.ops.front() : group.ops.back();
  OpBuilder builder(anchor);
  auto call = func::CallOp::create(builder, named->getLoc(), kernel,
                                   interface.inputs.getArrayRef());
  for (auto [output, result] :
       llvm::zip(interface.outputs, call.getResults())) {
    replaceOutput(number, output, result);
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

/// What each operation must come behind: who makes its operands, found anew,
/// and who touches a symbol before it, as the section has ordered them.
static DenseMap<Operation *, SmallVector<Operation *>>
findPredecessors(const FusionSection &section) {
  DenseSet<Operation *> inSection(section.getOps().begin(),
                                  section.getOps().end());
  DenseMap<Operation *, SmallVector<Operation *>> predecessors;
  for (Operation *op : section.getOps()) {
    SmallVector<Operation *> &before = predecessors[op];
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && inSection.contains(producer)) {
        before.push_back(producer);
      }
    }
    llvm::append_range(before, section.getGraph().getPredecessors(op));
  }
  return predecessors;
}

LogicalResult SectionOutliner::run(Operation *anchor) {
  reportRefusals(plan);
  for (auto [number, group] : llvm::enumerate(plan.getGroups())) {
    if (!group.ops.empty()) {
      interfaces[number] = KernelInterface::find(plan, number);
    }
  }
  const FusionSection &section = plan.getSection();
  auto predecessors = findPredecessors(section);
  KernelOrder order(section.getOps(), plan.getGroupOf(), [&](Operation *op) {
    return KernelOrder::Operations(predecessors[op]);
  });
  if (failed(verifyNoCycle(order))) {
    return failure();
  }
  SmallVector<Operation *> replaced;
  for (ArrayRef<Operation *> node : order.getNodes()) {
    std::optional<unsigned> number = plan.find(node.front());
    if (!number) {
      node.front()->moveBefore(anchor);
      continue;
    }
    emitCall(*number, anchor);
    replaced.append(node.begin(), node.end());
  }
  eraseReplaced(plan, replaced);
  return success();
}
