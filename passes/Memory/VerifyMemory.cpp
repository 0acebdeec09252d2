// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that transient buffers that live together do not overlap.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Memory/MemoryProblem.h"
#include "passes/Memory/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYMEMORYPASS
#include "passes/Memory/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class VerifyMemoryPass
    : public accel::impl::VerifyMemoryPassBase<VerifyMemoryPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (auto [space, attribute] : kArenaAttrs) {
        if (failed(verify(function, space, attribute))) {
          return signalPassFailure();
        }
      }
    }
  }

  static LogicalResult verify(func::FuncOp function, StringRef space,
                              StringRef attribute) {
    MemoryProblem problem = readMemory(function, space);
    if (auto conflict = problem.findConflict()) {
      return report(problem.buffers[conflict->first],
                    problem.buffers[conflict->second]);
    }
    auto arena = function->getAttrOfType<IntegerAttr>(attribute);
    if (arena && problem.arenaBytes() > arena.getInt()) {
      return function.emitOpError("expected its buffers within ")
             << arena.getInt() << " bytes, got buffers up to "
             << problem.arenaBytes();
    }
    return success();
  }

  static LogicalResult report(const BufferLifetime &first,
                              const BufferLifetime &second) {
    if (first.op == second.op) {
      return first.op->emitOpError("has no offset in the arena");
    }
    InFlightDiagnostic error =
        second.op->emitOpError("at bytes [")
        << second.offset << ", " << second.offset + second.bytes
        << "), used by instructions " << second.first << " to " << second.last
        << ", overlaps another that lives then";
    error.attachNote(first.op->getLoc())
        << "the other, at bytes [" << first.offset << ", "
        << first.offset + first.bytes << "), used by instructions "
        << first.first << " to " << first.last << ": " << *first.op;
    return error;
  }
};

} // namespace
