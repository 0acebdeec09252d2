// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16 bits read windows of a rounded image, and, where the target
// wants it, convolutions store what they sum in 16 bits.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/Convolution.h"
#include "passes/Analysis/WindowMatrix.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace accel {
#define GEN_PASS_DEF_NARROWCONVOLUTIONSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class NarrowConvolutionsPass
    : public accel::impl::NarrowConvolutionsPassBase<NarrowConvolutionsPass> {
public:
  using NarrowConvolutionsPassBase::NarrowConvolutionsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    narrowed.clear();
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp product) {
      Type element = elementTypeOf(product.getLhs());
      if (mayBeWindows(element) && !element.isF32()) {
        products.push_back(product);
      }
    });
    for (MatmulOp product : products) {
      if (target->roundsConvolutions() && Convolution::find(product)) {
        roundSums(product);
      }
      for (OpOperand &operand : product->getOpOperands()) {
        if (findWindows(operand.get())) {
          operand.set(narrow(operand.get(), elementTypeOf(operand.get())));
        }
      }
    }
  }

private:
  void roundSums(MatmulOp product);
  Value narrow(Value value, Type element);

  /// What `narrow` made, for all that read it.
  llvm::DenseMap<std::pair<Value, Type>, Value> narrowed;
};

} // namespace

/// The gradient of weights is one of f32 until here.
void NarrowConvolutionsPass::roundSums(MatmulOp product) {
  auto rounding = product->hasOneUse()
                      ? dyn_cast<CastOp>(*product->user_begin())
                      : CastOp();
  Type element = elementTypeOf(product.getLhs());
  if (rounding && elementTypeOf(rounding) == element) {
    return;
  }
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(product);
  ArithmeticBuilder b(builder, product.getLoc());
  Value sums = product.getResult();
  Value low = b.cast(sums, element);
  Value wide = b.cast(low, elementTypeOf(sums));
  sums.replaceAllUsesExcept(wide, low.getDefiningOp());
}

/// Whether rounding may as well be done in front of `op`.
static bool isOnTheWay(Operation *op) {
  return isa_and_nonnull<WindowsOp, ReshapeOp, TransposeOp, PadOp>(op);
}

/// `value`, f32 or rounded to `element` on the way, rounded to it where windows
/// and zeros around them have not been made yet: neighbouring windows have most
/// elements in common.
Value NarrowConvolutionsPass::narrow(Value value, Type element) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    Value source = cast.getOperand();
    if (elementTypeOf(source) == element) {
      return source;
    }
    if (elementTypeOf(value) == element) {
      return isOnTheWay(source.getDefiningOp()) ? narrow(source, element)
                                                : value;
    }
  }
  bool isView = isOnTheWay(op);
  if (elementTypeOf(value) == element && !isView) {
    return value;
  }
  if (Value known = narrowed.lookup({value, element})) {
    return known;
  }
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(value);
  Value made = value;
  if (!isView) {
    ArithmeticBuilder b(builder, value.getLoc());
    made = b.cast(value, element);
  } else if (Value source = narrow(op->getOperand(0), element);
             source != op->getOperand(0)) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), source);
    made = builder.clone(*op, mapping)->getResult(0);
    made.setType(cast<RankedTensorType>(made.getType()).clone(element));
  }
  return narrowed[{value, element}] = made;
}
