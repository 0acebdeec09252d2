// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which part of its function each instruction belongs to, and where the
// gradients of a step are complete.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/GradientWrites.h"
#include "passes/Schedule/Passes.h"

namespace accel {
#define GEN_PASS_DEF_MARKPHASESPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// In the loop everything up to the sum of losses is forward, everything after
/// it backward.
class PhaseMarker {
public:
  PhaseMarker(func::FuncOp function, FunctionRole role)
      : function(function), role(role) {}

  void mark() {
    for (Operation &op : function.getBody().front()) {
      bool isLoop = isa<plan::RepeatOp>(op);
      place = isLoop ? Place::InLoop : place;
      op.walk<WalkOrder::PreOrder>([&](Operation *each) { set(each); });
      place = isLoop ? Place::Behind : place;
    }
  }

private:
  enum class Place { InFront, InLoop, Behind };

  void set(Operation *op) {
    auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
    if (!instruction && !isa<plan::RepeatOp>(op)) {
      return;
    }
    op->setAttr(plan::kPhaseAttr,
                plan::PhaseAttr::get(op->getContext(), getPhase(op)));
    if (instruction && place == Place::InLoop) {
      sawLoss |= writesLoss(instruction);
    }
  }

  plan::Phase getPhase(Operation *op) const {
    if (role == FunctionRole::Initialize) {
      return plan::Phase::Init;
    }
    if (role == FunctionRole::Infer) {
      return plan::Phase::Forward;
    }
    if (isa<plan::FetchOp>(op)) {
      return plan::Phase::Load;
    }
    if (isa<plan::MetricOp>(op)) {
      return plan::Phase::Report;
    }
    if (isa<plan::AllReduceOp, plan::AllGatherOp, plan::ReduceScatterOp>(op)) {
      return plan::Phase::Reduce;
    }
    switch (place) {
    case Place::InFront:
      return plan::Phase::Load;
    case Place::InLoop:
      return sawLoss ? plan::Phase::Backward : plan::Phase::Forward;
    case Place::Behind:
      return role == FunctionRole::Step ? plan::Phase::Update
                                        : plan::Phase::Report;
    }
    llvm_unreachable("all places are listed");
  }

  static bool writesLoss(plan::InstructionOpInterface op) {
    return writesBuffer(op, [](plan::BufferOp buffer) {
      return buffer.getRegion() == plan::Region::Persistent &&
             buffer.getSymbol() == kLossSumState;
    });
  }

  func::FuncOp function;
  FunctionRole role;
  Place place = Place::InFront;
  bool sawLoss = false;
};

/// Marks the instruction behind the last one that changes a gradient, or the
/// scale that makes their sums means, in front of the update. What the loop
/// changes is complete behind it.
void markCompleteGradients(func::FuncOp step) {
  GradientWrites writes(step);
  Operation *next = nullptr;
  bool isNext = false, isUpdating = false;
  step.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
    if (isUpdating || (!instruction && !isa<plan::RepeatOp>(op))) {
      return;
    }
    if (isNext && !isa<plan::RepeatOp>(op->getParentOp())) {
      next = op;
      isNext = false;
    }
    isUpdating = instruction && writes.isUpdate(instruction);
    if (instruction && !isUpdating && writes.changesGradients(instruction)) {
      isNext = true;
    }
  });
  if (next) {
    next->setAttr(plan::kGradientsCompleteAttr,
                  UnitAttr::get(step.getContext()));
  }
}

class MarkPhasesPass : public accel::impl::MarkPhasesPassBase<MarkPhasesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getProgram(getOperation())) {
      FunctionRole role = *getRole(function);
      PhaseMarker(function, role).mark();
      if (role == FunctionRole::Step) {
        markCompleteGradients(function);
      }
    }
  }
};

} // namespace
