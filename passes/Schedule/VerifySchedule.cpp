// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that any two conflicting accesses of a plan are ordered by lanes and
// events.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/ScheduleProblem.h"
#include "passes/Schedule/SlotContents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class VerifySchedulePass
    : public accel::impl::VerifySchedulePassBase<VerifySchedulePass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(verify(function))) {
        return signalPassFailure();
      }
    }
    SymbolTable symbols(getOperation());
    if (failed(verifyGradientContents(symbols))) {
      signalPassFailure();
    }
  }

  static LogicalResult verify(func::FuncOp function) {
    ScheduleProblem problem = readSchedule(function);
    if (std::optional<unsigned> waiting = problem.findDeadlock()) {
      return problem.instructions[*waiting].op->emitOpError(
          "waits for an event that nothing before it signals");
    }
    if (std::optional<WrongContents> wrong = findWrongContents(function)) {
      InFlightDiagnostic error = wrong->reader->emitOpError(
          "reads a slot that does not hold these parameters here");
      error.attachNote(wrong->wanted.getLoc())
          << "the parameters: " << wrong->wanted;
      return error;
    }
    std::optional<Hazard> hazard = problem.findHazard();
    if (!hazard) {
      return success();
    }
    Operation *first = problem.instructions[hazard->first].op;
    Operation *second = problem.instructions[hazard->second].op;
    auto lane = [](Operation *op) {
      return plan::stringifyLane(
          cast<plan::InstructionOpInterface>(op).getLaneOrDefault());
    };
    InFlightDiagnostic error =
        second->emitOpError("on the ")
        << lane(second) << " lane is not ordered after an instruction on the "
        << lane(first) << " lane that touches the same bytes (iterations "
        << hazard->secondIteration << " and " << hazard->firstIteration << ")";
    error.attachNote(first->getLoc()) << "the other instruction: " << *first;
    return error;
  }
};

} // namespace
