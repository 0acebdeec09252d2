// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every transient buffer its place in the arena.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Memory/MemoryPeak.h"
#include "passes/Memory/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNOFFSETSPASS
#include "passes/Memory/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class AssignOffsetsPass
    : public accel::impl::AssignOffsetsPassBase<AssignOffsetsPass> {
public:
  using AssignOffsetsPassBase::AssignOffsetsPassBase;

private:
  void runOnOperation() override {
    peak = {};
    fullest = gathering = {};
    mostGathered = 0;
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr("plan.kernel")) {
        place(function, *target);
      }
    }
    writeFacts();
  }

  void place(func::FuncOp function, const Target &target) {
    Builder builder(&getContext());
    function.walk([&](plan::BufferOp buffer) {
      buffer.setAlignment(target.getAlignment());
    });
    for (auto [space, attribute] : plan::kArenaAttrs) {
      MemoryProblem problem = readMemory(function, space);
      int64_t bytes = problem.solve();
      for (const BufferLifetime &buffer : problem.buffers) {
        cast<plan::BufferOp>(buffer.op).setOffset(buffer.offset);
      }
      if (bytes > 0 || space == plan::Space::Device) {
        function->setAttr(attribute, builder.getI64IntegerAttr(bytes));
      }
      if (space == plan::Space::Device && getRole(function)) {
        comparePeak(function, problem);
      }
    }
    if (getRole(function)) {
      compareGathered(function);
    }
  }

  /// Of functions that are equally full the last one counts.
  void comparePeak(func::FuncOp function, const MemoryProblem &problem) {
    std::optional<PeakInstruction> found = findPeak(function, problem);
    if (found && found->liveBytes >= peak.liveBytes) {
      peak = *found;
      fullest = function;
    }
  }

  /// Of functions that gather into as much memory the first one counts.
  void compareGathered(func::FuncOp function) {
    int64_t bytes = 0;
    function.walk([&](plan::BufferOp buffer) {
      bytes += buffer.getGathers()
                   ? plan::getMemRefBytes(cast<MemRefType>(buffer.getType()))
                   : 0;
    });
    if (bytes > mostGathered) {
      mostGathered = bytes;
      gathering = function;
    }
  }

  void writeFacts() {
    ModuleOp module = getOperation();
    if (fullest) {
      module->setAttr(
          plan::kPeakAttr,
          plan::PeakAttr::get(&getContext(),
                              FlatSymbolRefAttr::get(fullest.getSymNameAttr()),
                              static_cast<int64_t>(peak.number),
                              static_cast<int64_t>(peak.liveBytes)));
    }
    if (gathering) {
      module->setAttr(plan::kGathersMostAttr,
                      FlatSymbolRefAttr::get(gathering.getSymNameAttr()));
    }
  }

  PeakInstruction peak;   ///< of the program's functions so far
  func::FuncOp fullest;   ///< null: there is no instruction
  func::FuncOp gathering; ///< null: none gathers
  int64_t mostGathered = 0;
};

} // namespace
