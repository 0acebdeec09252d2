// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the groups that the fusion planner forms by calls of kernel
// functions, each distinct one stored once.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Fuse/FusionPlanner.h"
#include "passes/Fuse/Passes.h"
#include "passes/Fuse/SectionOutliner.h"
#include "passes/Target/Target.h"

namespace accel {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// Forms groups of the operations of `section` and outlines them in front of
/// `anchor`.
static LogicalResult outlineSection(ArrayRef<Operation *> section,
                                    Operation *anchor, const Target &target,
                                    KernelLibrary &kernels) {
  FusionPlanner planner(section, target);
  return SectionOutliner(planner.plan(), kernels).run(anchor);
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
    if (failed(outlineSection(section, &op, target, kernels))) {
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
  LogicalResult done = outlineSection(section, end, target, kernels);
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
