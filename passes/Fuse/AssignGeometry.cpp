// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the code variants, says for each how every kernel is cut, and gives
// launches their workspace.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

namespace accel {
#define GEN_PASS_DEF_ASSIGNGEOMETRYPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

constexpr StringLiteral kWorkspace = "workspace";

class AssignGeometryPass
    : public accel::impl::AssignGeometryPassBase<AssignGeometryPass> {
public:
  using AssignGeometryPassBase::AssignGeometryPassBase;

private:
  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    declareVariants(*target);
    if (failed(cutKernels(*target))) {
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    int64_t most = 0;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      most = std::max(most, getWorkspaceBytes(kernel));
    }
    for (func::FuncOp function : getProgram(getOperation())) {
      addWorkspace(function, symbols, most);
    }
  }

  void declareVariants(const Target &target) {
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    for (const CodeVariant &variant : target.getVariants(getOperation())) {
      SmallVector<StringRef> features(variant.features.begin(),
                                      variant.features.end());
      plan::VariantOp::create(builder, getOperation().getLoc(), variant.name,
                              variant.device, variant.processor,
                              builder.getStrArrayAttr(features), variant.lanes);
    }
  }

  LogicalResult cutKernels(const Target &target) {
    SmallVector<CodeVariant> variants = target.getVariants(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttr)) {
        continue;
      }
      NamedAttrList codes;
      for (const CodeVariant &variant : variants) {
        Attribute entry = target.getEntry(kernel, variant, tf32);
        if (!entry) {
          return failure();
        }
        codes.set(variant.name, entry);
      }
      kernel->setAttr(plan::kCodeAttr, codes.getDictionary(&getContext()));
      if (flushesSubnormals(kernel)) {
        kernel->setAttr(plan::kFlushesAttr, UnitAttr::get(&getContext()));
      }
    }
    return success();
  }

  /// One workspace of `most` bytes serves all kernels, as they run one after
  /// the other; each gets as much of it as it needs.
  static void addWorkspace(func::FuncOp function, SymbolTable &symbols,
                           int64_t most) {
    // Behind all other memory.
    OpBuilder builder(
        &*llvm::find_if(function.getBody().front(), [](Operation &op) {
          return !isa<plan::BufferOp, plan::ViewOp, plan::PartOp>(op);
        }));
    auto typeOf = [&](int64_t bytes) {
      return MemRefType::get({bytes / 4}, builder.getF32Type());
    };
    plan::BufferOp buffer;
    llvm::DenseMap<int64_t, Value> views;
    function.walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
      int64_t bytes = kernel ? getWorkspaceBytes(kernel) : 0;
      if (bytes == 0) {
        return;
      }
      if (!buffer) {
        buffer = plan::BufferOp::create(
            builder, function.getLoc(), typeOf(most), plan::Region::Persistent,
            plan::MemoryClass::Workspace, builder.getStringAttr(kWorkspace));
        buffer.setPerThread(true);
        views[most] = buffer;
      }
      Value &view = views[bytes];
      if (!view) {
        view = plan::ViewOp::create(builder, function.getLoc(), typeOf(bytes),
                                    buffer, /*offset=*/0);
      }
      launch.getWorkspaceMutable().assign(view);
    });
  }
};

} // namespace
