// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds its code to every kernel of a module, as a warp executes it.
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/OperandAlignment.h"
#include "passes/Lower/Cuda/GroupedWarp.h"
#include "passes/Lower/Cuda/MatrixAttention.h"
#include "passes/Lower/Cuda/Passes.h"
#include "passes/Lower/Cuda/TransposedCopy.h"
#include "passes/Lower/Cuda/WarpAttention.h"
#include "passes/Lower/Loops/EmitKernels.h"

namespace accel {
#define GEN_PASS_DEF_LOWERWARPKERNELSPASS
#include "passes/Lower/Cuda/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

static void refuseProduct(KernelEmitter &emitter) {
  emitter.emitError(emitter.getKernel())
      << "expected a call of a library, which products are on GPUs, got code";
}

static void emitGrouped(KernelEmitter &emitter, Operation *op,
                        ArrayRef<int64_t> alignments) {
  GroupedWarpTiles tiles = GroupedWarpTiles::get(op);
  if (tiles.allTiles() != emitter.getGeometry().getTiles()) {
    emitter.emitError(op) << "expected " << tiles.allTiles() << " tiles, got "
                          << emitter.getGeometry();
  } else if (tiles.usesMatrices) {
    emitGroupedMatrixKernel(emitter, op, alignments);
  } else {
    emitGroupedWarpKernel(emitter, op, alignments);
  }
}

static void emitAttention(KernelEmitter &emitter, AttentionOp op) {
  WarpAttentionTiles::get(op).usesMatrices ? emitMatrixAttention(emitter, op)
                                           : emitWarpAttention(emitter, op);
}

static void emitAttentionGrad(KernelEmitter &emitter, AttentionGradOp op) {
  WarpAttentionTiles::get(op).usesMatrices
      ? emitMatrixAttentionGrad(emitter, op)
      : emitWarpAttentionGrad(emitter, op);
}

/// Arguments of code say at which multiples of bytes they begin.
static void alignArguments(ModuleOp module,
                           const OperandAlignments &alignments) {
  Builder builder(module.getContext());
  for (auto kernel : module.getOps<func::FuncOp>()) {
    auto code = module.lookupSymbol<func::FuncOp>(
        (kernel.getSymName() + kCodeSuffix).str());
    if (!kernel->hasAttr(kKernelAttr) || !code) {
      continue;
    }
    for (auto [i, bytes] : llvm::enumerate(alignments.get(kernel))) {
      code.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(bytes));
    }
  }
}

namespace {

class LowerWarpKernelsPass
    : public accel::impl::LowerWarpKernelsPassBase<LowerWarpKernelsPass> {
public:
  using LowerWarpKernelsPassBase::LowerWarpKernelsPassBase;

private:
  void runOnOperation() override {
    OperandAlignments alignments(getOperation());
    auto emitCopy = [&](KernelEmitter &emitter) {
      emitTransposedCopy(emitter, alignments.get(emitter.getKernel()));
    };
    auto emitProducts = [&](KernelEmitter &emitter, Operation *op) {
      emitGrouped(emitter, op, alignments.get(emitter.getKernel()));
    };
    if (failed(emitKernels(getOperation(), variant,
                           {/*routineLanes=*/{}, refuseProduct, emitProducts,
                            emitAttention, emitAttentionGrad, emitCopy}))) {
      return signalPassFailure();
    }
    alignArguments(getOperation(), alignments);
  }
};

} // namespace
