// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels must be to have code, and the loops of those that are neither
// products nor attention.
#include "passes/Lower/Loops/EmitKernels.h"

#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/AttentionSizes.h"
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/TurnedResult.h"
#include "passes/Lower/Loops/Kernels.h"

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
  if (!element.isF32() && !element.isF64() && !SmallFloat::get(element) &&
      !element.isInteger(1) && !element.isInteger(32) &&
      !element.isInteger(64) && !element.isUnsignedInteger(8)) {
    return kernel.emitOpError(
               "expected elements of type f32, f64, bf16, f16, f8E4M3FN, "
               "f8E5M2, f8E8M0FNU, i32, i64, i1 or ui8 in a kernel, got ")
           << type;
  }
  return success();
}

static bool isSmallFloat(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && SmallFloat::get(tensor.getElementType());
}

/// Code moves floats of 16 and 8 bits, and casts them. Products and attention
/// say themselves what they take.
static LogicalResult checkOperation(func::FuncOp kernel, Operation *op) {
  bool mayBeSmall =
      isViewOp(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<CastOp, SelectOp, ConstantOp, GatherOp, ConcatOp, MatmulOp,
          GroupedMatmulOp, GroupedOuterOp, AttentionOp, AttentionGradOp>(op);
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  const auto *small = llvm::find_if(types, isSmallFloat);
  if (mayBeSmall || small == types.end()) {
    return success();
  }
  return op->emitOpError("in kernel '")
         << kernel.getSymName() << "' has no code for " << *small
         << ": cast operands to f32, and the result back";
}

/// Additions round once for each term; in 16 and 8 bits little would be left.
static LogicalResult checkResult(func::FuncOp kernel, unsigned result) {
  Type type = kernel.getResultTypes()[result];
  if (isAccumulated(kernel, result) && isSmallFloat(type)) {
    return kernel.emitOpError("expected result ")
           << result << ", which is added to what is there, to be f32 or f64, "
           << "got " << type;
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
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    if (failed(checkResult(kernel, i))) {
      return failure();
    }
  }
  for (Operation &op : kernel.getBody().front()) {
    if (failed(checkOperation(kernel, &op))) {
      return failure();
    }
  }
  return success();
}

/// The attention that a kernel of that kind is about.
static void emitAttention(KernelEmitter &emitter,
                          const KernelEmitters &target) {
  Operation *op = findAttention(emitter.getKernel());
  if (auto forward = dyn_cast_if_present<AttentionOp>(op)) {
    return target.emitAttention(emitter, forward);
  }
  if (auto gradient = dyn_cast_if_present<AttentionGradOp>(op)) {
    return target.emitAttentionGrad(emitter, gradient);
  }
  emitter.emitError(emitter.getKernel()) << "expected an attention, got none";
}

/// The grouped product that a kernel of that kind is about. Sums of outer
/// products are f32.
static void emitGrouped(KernelEmitter &emitter, const KernelEmitters &target) {
  Operation *op = findGrouped(emitter.getKernel());
  if (!op) {
    emitter.emitError(emitter.getKernel())
        << "expected a grouped product, got none";
    return;
  }
  Type element = elementTypeOf(op->getOperand(0));
  Type result = elementTypeOf(op->getResult(0));
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (isKnown && (!isa<GroupedOuterOp>(op) || result.isF32())) {
    return target.emitGrouped(emitter, op);
  }
  emitter.emitError(op)
      << "expected a grouped product of f32, bf16 or f16, and sums of outer "
         "products in f32, got one of "
      << element << " with results of " << result
      << ": gather the matrices and multiply those";
}

static void emitRows(KernelEmitter &emitter, const KernelEmitters &target) {
  if (target.emitUncutRows &&
      emitter.getGeometry().getOf() != plan::TileKind::Rows) {
    return target.emitUncutRows(emitter);
  }
  std::optional<TurnedResult> turned = TurnedResult::find(emitter.getKernel());
  return turned ? emitTurnedKernel(emitter, *turned) : emitRowKernel(emitter);
}

static void emitBody(KernelEmitter &emitter, const KernelEmitters &target) {
  switch (emitter.getDomain().kind) {
  case LoopKind::Flat:
    return emitFlatKernel(emitter);
  case LoopKind::Rows:
    return emitRows(emitter, target);
  case LoopKind::Columns:
    return emitColumnKernel(emitter);
  case LoopKind::Concat:
    return emitConcatKernel(emitter);
  case LoopKind::Attention:
    return emitAttention(emitter, target);
  case LoopKind::Product:
    return target.emitProduct(emitter);
  case LoopKind::Grouped:
    return emitGrouped(emitter, target);
  }
}

static LogicalResult emitKernel(func::FuncOp kernel, StringRef variant,
                                const KernelEmitters &target) {
  FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
  if (failed(domain) || failed(checkKernel(kernel))) {
    return failure();
  }
  FailureOr<plan::CodeAttr> geometry = getCode(kernel, variant);
  if (failed(geometry)) {
    return failure();
  }
  KernelEmitter emitter(kernel, *domain, *geometry, target.routineLanes);
  emitBody(emitter, target);
  emitter.finish();
  return failure(emitter.hasFailed());
}

/// An activation is part of a library's product, or code of what it stands for.
template <typename OpTy> static void expandActivations(func::FuncOp kernel) {
  kernel.walk([](OpTy op) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(op.expand(builder));
    op->erase();
  });
}

LogicalResult accel::emitKernels(ModuleOp module, StringRef variant,
                                 const KernelEmitters &target) {
  auto variants = module.getOps<plan::VariantOp>();
  if (variant.empty() && variants.empty()) {
    return module.emitError("expected a plan.variant to write code for, got "
                            "none: run --accel-assign-geometry first");
  }
  StringRef name = variant.empty() ? (*variants.begin()).getSymName() : variant;
  // What a library computes has no code.
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr) && !getLibraryCall(function, name)) {
      kernels.push_back(function);
    }
  }
  bool hasFailed = false;
  for (func::FuncOp kernel : kernels) {
    expandActivations<GeluOp>(kernel);
    expandActivations<GeluGradOp>(kernel);
    hasFailed |= failed(emitKernel(kernel, name, target));
  }
  return failure(hasFailed);
}
