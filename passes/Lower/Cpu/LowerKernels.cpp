// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds its code to every kernel of a module.
#include "passes/Analysis/ProductShape.h"
#include "passes/Lower/Cpu/AttentionCode.h"
#include "passes/Lower/Cpu/BlockTranspose.h"
#include "passes/Lower/Cpu/GroupedKernel.h"
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Cpu/ProductKernel.h"
#include "passes/Lower/Cpu/RowLanes.h"
#include "passes/Lower/Loops/EmitKernels.h"
#include "passes/Target/Cpu/GroupedTiles.h"

namespace accel {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "passes/Lower/Cpu/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

static void emitProductKernel(KernelEmitter &emitter) {
  if (MatmulOp op = getProduct(emitter.getKernel())) {
    return emitProductKernel(emitter, op);
  }
  emitter.emitError(emitter.getKernel()) << "expected a product, got none";
}

namespace {

class LowerKernelsPass
    : public accel::impl::LowerKernelsPassBase<LowerKernelsPass> {
public:
  using LowerKernelsPassBase::LowerKernelsPassBase;

private:
  void runOnOperation() override {
    auto emitProduct = [](KernelEmitter &emitter) {
      emitProductKernel(emitter);
    };
    if (failed(emitKernels(getOperation(), variant,
                           {kLanesOfDoubles, emitProduct, emitGroupedKernel,
                            emitAttention, emitAttentionGrad,
                            emitBlockTranspose}))) {
      signalPassFailure();
    }
  }
};

} // namespace
