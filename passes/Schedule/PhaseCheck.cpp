// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phases and the place where gradients are complete, from a list of the
// function's instructions: the latter is found from the update backwards.
#include "passes/Schedule/PhaseCheck.h"

#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Plan/IR/PlanOps.h"

using namespace mlir;
using namespace accel;

namespace {

class PhaseCheck {
public:
  explicit PhaseCheck(func::FuncOp function)
      : function(function), role(getRole(function)) {
    // The loop stands in front of its instructions.
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<plan::RepeatOp, plan::InstructionOpInterface>(op)) {
        ops.push_back(op);
      }
    });
    size_t size = ops.size();
    loopBegin = findFirst(0, size, [&](Operation *op) { return isInLoop(op); });
    loopEnd = findFirst(loopBegin, size,
                        [&](Operation *op) { return !isInLoop(op); });
    backward = findFirst(loopBegin, loopEnd, [](Operation *op) {
      return writes(op, [](plan::BufferOp buffer) {
        return buffer.getRegion() == plan::Region::Persistent &&
               buffer.getSymbol() == kLossSumState;
      });
    });
  }

  LogicalResult check() {
    auto hasPhase = [](Operation *op) { return op->hasAttr(plan::kPhaseAttr); };
    if (llvm::none_of(ops, hasPhase)) {
      return checkMarks(/*isRequired=*/false);
    }
    for (auto [i, op] : llvm::enumerate(ops)) {
      auto phase = op->getAttrOfType<plan::PhaseAttr>(plan::kPhaseAttr);
      if (!phase) {
        return op->emitOpError("has no phase, and others have");
      }
      if (role && phase.getValue() != derivePhase(i)) {
        return op->emitOpError("expected phase ")
               << plan::stringifyPhase(derivePhase(i)) << ", got "
               << plan::stringifyPhase(phase.getValue());
      }
    }
    return checkMarks(/*isRequired=*/true);
  }

private:
  static bool isInLoop(Operation *op) {
    return isa<plan::RepeatOp>(op) || isa<plan::RepeatOp>(op->getParentOp());
  }

  static bool writes(Operation *op,
                     llvm::function_ref<bool(plan::BufferOp)> isMeant) {
    auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
    if (!instruction) {
      return false;
    }
    for (plan::BufferAccess access : instruction.getAccesses()) {
      bool isWrite = access.access != plan::Access::Read;
      if (isWrite && isMeant(plan::getBufferRange(access.buffer).buffer)) {
        return true;
      }
    }
    return false;
  }

  /// The number of the first of [begin, end) that is meant, or `end`.
  size_t findFirst(size_t begin, size_t end,
                   llvm::function_ref<bool(Operation *)> isMeant) const {
    while (begin < end && !isMeant(ops[begin])) {
      ++begin;
    }
    return begin;
  }

  plan::Phase derivePhase(size_t i) const {
    Operation *op = ops[i];
    if (role == FunctionRole::Initialize) {
      return plan::Phase::Init;
    }
    if (role == FunctionRole::Infer) {
      return plan::Phase::Forward;
    }
    if (isa<plan::MetricOp>(op)) {
      return plan::Phase::Report;
    }
    if (isa<plan::AllReduceOp, plan::AllGatherOp, plan::ReduceScatterOp>(op)) {
      return plan::Phase::Reduce;
    }
    if (isa<plan::FetchOp>(op) || i < loopBegin) {
      return plan::Phase::Load;
    }
    if (i < loopEnd) {
      return i <= backward ? plan::Phase::Forward : plan::Phase::Backward;
    }
    return role == FunctionRole::Step ? plan::Phase::Update
                                      : plan::Phase::Report;
  }

  /// From the first write of parameters or of the optimizer's state on.
  size_t findUpdate() const {
    return findFirst(0, ops.size(), [](Operation *op) {
      return writes(op, [](plan::BufferOp buffer) {
        return buffer.getRegion() == plan::Region::Persistent &&
               (buffer.getKlass() == plan::MemoryClass::Optimizer ||
                buffer.getKlass() == plan::MemoryClass::Parameters);
      });
    });
  }

  /// The last write, in front of the update, of a gradient or of the number
  /// that makes a mean of it; nothing if there is none.
  std::optional<size_t> findLastChange(size_t update) const {
    plan::BufferOp scale;
    for (Operation *op : ops) {
      auto metric = dyn_cast<plan::MetricOp>(op);
      if (metric && metric.getName() == kGradientScaleMetric) {
        scale = plan::getBufferRange(metric.getBuffer()).buffer;
      }
    }
    for (size_t i = update; i-- > 0;) {
      if (writes(ops[i], [&](plan::BufferOp buffer) {
            return buffer == scale ||
                   buffer.getKlass() == plan::MemoryClass::Gradients;
          })) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// Only a step of which something changes a gradient has a mark, and one.
  LogicalResult checkMarks(bool isRequired) {
    SmallVector<size_t> marks;
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (op->hasAttr(plan::kGradientsCompleteAttr)) {
        marks.push_back(i);
      }
    }
    if (marks.size() > 1) {
      InFlightDiagnostic error = ops[marks[1]]->emitOpError(
          "expected one place where gradients are complete, got a second one");
      error.attachNote(ops[marks[0]]->getLoc()) << "the first one";
      return error;
    }
    if (marks.empty() && !isRequired) {
      return success();
    }
    size_t update = findUpdate();
    std::optional<size_t> change =
        role == FunctionRole::Step ? findLastChange(update) : std::nullopt;
    if (marks.empty()) {
      return change ? function.emitOpError("has no instruction in front of "
                                           "which gradients are complete")
                    : success();
    }
    if (!change) {
      return ops[marks[0]]->emitOpError("says that gradients are complete, and "
                                        "nothing in front of it changes one");
    }
    return checkMark(marks[0], *change, update);
  }

  /// `mark` is the first place outside the loop behind `change`.
  LogicalResult checkMark(size_t mark, size_t change, size_t update) const {
    auto fail = [&](size_t at, size_t other, StringRef problem,
                    StringRef note) -> LogicalResult {
      InFlightDiagnostic error = ops[at]->emitOpError(problem);
      error.attachNote(ops[other]->getLoc()) << note;
      return error;
    };
    if (mark <= change) {
      return fail(change, mark,
                  "changes a gradient behind the place where all are complete",
                  "the place");
    }
    if (mark > update) {
      return fail(mark, update,
                  "says that gradients are complete behind the beginning of "
                  "the update, which uses them",
                  "the update's first instruction");
    }
    size_t earliest =
        change >= loopBegin && change < loopEnd ? loopEnd : change + 1;
    if (mark < earliest) {
      return ops[mark]->emitOpError("says in the loop that gradients are "
                                    "complete, which they are behind it");
    }
    if (mark > earliest) {
      return fail(mark, earliest,
                  "says that gradients are complete, and they are in front of "
                  "an earlier instruction",
                  "the first that finds them complete");
    }
    return success();
  }

  func::FuncOp function;
  std::optional<FunctionRole> role;
  SmallVector<Operation *> ops;      ///< instructions and the loop, in order
  size_t loopBegin = 0, loopEnd = 0; ///< the loop and what it repeats
  size_t backward = 0; ///< which sums the losses up: backward follows it
};

} // namespace

LogicalResult accel::checkPhases(func::FuncOp function) {
  return PhaseCheck(function).check();
}
