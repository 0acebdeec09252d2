// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds its code to every kernel of a module.
#include "passes/Analysis/ProductTiles.h"
#include "passes/Lower/AttentionCode.h"
#include "passes/Lower/KernelEmitter.h"
#include "passes/Lower/Kernels.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/ProductKernel.h"

namespace accel {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "passes/Lower/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// Tensors of a kernel have elements, and types that code exists for.
static LogicalResult checkType(func::FuncOp kernel, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0) {
    return kernel.emitOpError(
               "expected tensors of a known size of at least one element, got ")
           << type;
  }
  Type element = tensor.getElementType();
  if (!element.isF32() && !element.isF64() && !element.isInteger(1) &&
      !element.isInteger(32) && !element.isInteger(64)) {
    return kernel.emitOpError("expected elements of type f32, f64, i32, i64 or "
                              "i1 in a kernel, got ")
           << type;
  }
  return success();
}

static LogicalResult checkKernel(func::FuncOp kernel) {
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock()) {
    return kernel.emitOpError("expected a kernel with a body of one block");
  }
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.append(kernel.getResultTypes().begin(), kernel.getResultTypes().end());
  for (Type type : types) {
    if (failed(checkType(kernel, type))) {
      return failure();
    }
  }
  return success();
}

/// The attention that a kernel of that kind is about.
static void emitAttentionKernel(KernelEmitter &emitter, int64_t blockVectors) {
  for (Operation &op : emitter.getKernel().getBody().front()) {
    if (auto forward = dyn_cast<AttentionOp>(op)) {
      return emitAttention(emitter, forward, blockVectors);
    }
    if (auto gradient = dyn_cast<AttentionGradOp>(op)) {
      return emitAttentionGrad(emitter, gradient, blockVectors);
    }
  }
  emitter.emitError(emitter.getKernel()) << "expected an attention, got none";
}

static void emitProductKernel(KernelEmitter &emitter, int64_t blockVectors) {
  if (MatmulOp op = getProduct(emitter.getKernel())) {
    return emitProductKernel(emitter, op, blockVectors);
  }
  emitter.emitError(emitter.getKernel()) << "expected a product, got none";
}

static LogicalResult lowerKernel(func::FuncOp kernel, int64_t blockVectors) {
  FailureOr<KernelShape> shape = KernelShape::get(kernel);
  if (failed(shape) || failed(checkKernel(kernel))) {
    return failure();
  }
  KernelEmitter emitter(kernel, *shape);
  switch (shape->kind) {
  case LoopKind::Flat:
    emitFlatKernel(emitter);
    break;
  case LoopKind::Rows:
    emitRowKernel(emitter);
    break;
  case LoopKind::Columns:
    emitColumnKernel(emitter);
    break;
  case LoopKind::Concat:
    emitConcatKernel(emitter);
    break;
  case LoopKind::Attention:
    emitAttentionKernel(emitter, blockVectors);
    break;
  case LoopKind::Product:
    emitProductKernel(emitter, blockVectors);
    break;
  }
  emitter.finish();
  return failure(emitter.hasFailed());
}

namespace {

class LowerKernelsPass
    : public accel::impl::LowerKernelsPassBase<LowerKernelsPass> {
public:
  using LowerKernelsPassBase::LowerKernelsPassBase;

private:
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kKernelAttr)) {
        kernels.push_back(function);
      }
    }
    bool hasFailed = false;
    for (func::FuncOp kernel : kernels) {
      hasFailed |= failed(lowerKernel(kernel, blockVectors));
    }
    if (hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
