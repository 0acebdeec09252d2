// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the sums of a product to where they are stored.
#include "passes/Target/Cuda/CallEpilogue.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

Value accel::skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getOperand();
  }
  return value;
}

/// The number that `value` repeats for every element; null if there is none.
static Value findRepeated(Value value) {
  auto repeat = skipReshapes(value).getDefiningOp<BroadcastOp>();
  return repeat && getNumElements(repeat.getOperand()) == 1
             ? repeat.getOperand()
             : Value();
}

bool accel::isScaledSum(Value value, MatmulOp product,
                        SmallVectorImpl<Value> &scales) {
  value = skipReshapes(value);
  if (value == product.getResult()) {
    return true;
  }
  auto scaled = value.getDefiningOp<MulOp>();
  if (!scaled || scales.size() == 2 ||
      !isFp8(elementTypeOf(product.getLhs()))) {
    return false;
  }
  Value scale = findRepeated(scaled.getRhs());
  scales.push_back(scale);
  return scale && isScaledSum(scaled.getLhs(), product, scales);
}

static bool isRounding(Operation *op) {
  const SmallFloat *low = isa_and_nonnull<CastOp>(op)
                              ? SmallFloat::get(elementTypeOf(op->getResult(0)))
                              : nullptr;
  return low && low->getWidth() == 16;
}

Value accel::skipRounding(Value value) {
  value = skipReshapes(value);
  return isRounding(value.getDefiningOp())
             ? skipReshapes(value.getDefiningOp()->getOperand(0))
             : value;
}

/// Who reads `value`, under whatever shape.
static void collectReaders(Value value, SmallVectorImpl<OpOperand *> &readers) {
  for (OpOperand &use : value.getUses()) {
    if (auto reshape = dyn_cast<ReshapeOp>(use.getOwner())) {
      collectReaders(reshape.getResult(), readers);
    } else {
      readers.push_back(&use);
    }
  }
}

static bool isTanhGelu(Operation *op) {
  auto gelu = dyn_cast<GeluOp>(op);
  return gelu && gelu.getApproximation() == GeluApproximation::Tanh;
}

/// The type in which `value` is stored: that to which it is rounded, if nothing
/// else reads it but GELU, which is computed in f32.
static Type getTypeStored(Value value) {
  SmallVector<OpOperand *> readers;
  collectReaders(value, readers);
  llvm::erase_if(readers,
                 [](OpOperand *use) { return isTanhGelu(use->getOwner()); });
  bool isRounded =
      readers.size() == 1 && isRounding(readers.front()->getOwner());
  return elementTypeOf(isRounded ? readers.front()->getOwner()->getResult(0)
                                 : value);
}

Value accel::findRepeatedVector(Value value) {
  value = skipReshapes(value);
  if (auto widening = value.getDefiningOp<CastOp>()) {
    value = skipReshapes(widening.getOperand());
  }
  auto repeat = value.getDefiningOp<BroadcastOp>();
  int64_t last = repeat ? repeat.getType().getRank() - 1 : 0;
  bool isVector = repeat && repeat.getDimensions() == ArrayRef<int64_t>(last);
  return isVector ? repeat.getOperand() : Value();
}

/// What adds something to all of `product`, which nobody else reads, and which
/// of its operands that is; null if nothing does.
static OpOperand *findAdded(MatmulOp product) {
  Value sums = product.getResult();
  while (sums.hasOneUse() && isa<ReshapeOp, MulOp>(*sums.user_begin())) {
    sums = sums.user_begin()->getResult(0);
  }
  auto add = sums.hasOneUse() ? dyn_cast<AddOp>(*sums.user_begin()) : AddOp();
  return add ? &add->getOpOperand(add.getLhs() == sums ? 1 : 0) : nullptr;
}

/// Whether `vector` will lie in one piece of what a kernel reads.
static bool liesInOnePiece(Value vector) {
  Value root = getViewRoot(vector);
  int64_t offset = 0;
  return elementTypeOf(root) == elementTypeOf(vector) &&
         isContiguousPart(vector, root, offset);
}

/// cuBLASLt adds a vector of the type of its result; with a result of f32 it
/// adds none of f32 to products of floats of 8 bits.
OpOperand *accel::findBias(MatmulOp product) {
  OpOperand *added = findAdded(product);
  Value bias = added ? findRepeatedVector(added->get()) : Value();
  if (!bias || !liesInOnePiece(bias) ||
      ProductShape::get(product).matrices != 1 ||
      getNumElements(bias) != ProductShape::get(product).columns) {
    return nullptr;
  }
  Operation *add = added->getOwner();
  SmallVector<Value> scales;
  Type stored = getTypeStored(add->getResult(0));
  bool isWide = stored.isF32() && isFp8(elementTypeOf(product.getLhs()));
  return elementTypeOf(bias) == stored && !isWide &&
                 isScaledSum(add->getOperand(1 - added->getOperandNumber()),
                             product, scales)
             ? added
             : nullptr;
}

/// The gradient of GELU that `sums` are multiplied by, in the type in which its
/// operand lies; null if they are not.
static Operation *findGeluGradient(ArrayRef<OpOperand *> readers) {
  auto gradient = readers.size() == 1
                      ? dyn_cast<GeluGradOp>(readers.front()->getOwner())
                      : GeluGradOp();
  bool isKnown =
      gradient && gradient.getApproximation() == GeluApproximation::Tanh &&
      readers.front() == &gradient.getGradientMutable() &&
      liesInOnePiece(gradient.getOperand()) &&
      getTypeStored(gradient) == elementTypeOf(gradient.getOperand());
  return isKnown ? gradient.getOperation() : nullptr;
}

/// The GELU of `sums`, which is stored in the type in which those are, if they
/// are; null if there is none.
static Operation *findGelu(Value sums, ArrayRef<OpOperand *> readers) {
  Operation *gelu = nullptr;
  for (OpOperand *use : readers) {
    if (isTanhGelu(use->getOwner())) {
      if (gelu) {
        return nullptr;
      }
      gelu = use->getOwner();
    }
  }
  if (!gelu) {
    return nullptr;
  }
  Type stored = getTypeStored(gelu->getResult(0));
  bool areAlike = readers.size() == 1 || stored == getTypeStored(sums);
  return areAlike ? gelu : nullptr;
}

Value accel::getSums(MatmulOp product) {
  OpOperand *bias = findBias(product);
  return bias ? bias->getOwner()->getResult(0) : product->getResult(0);
}

/// cuBLASLt keeps rows of a multiple of eight numbers.
Operation *accel::findActivation(MatmulOp product) {
  constexpr int64_t kMultiple = 8;
  ProductShape shape = ProductShape::get(product);
  if (shape.matrices != 1 || shape.columns % kMultiple != 0 ||
      !product.getScales().empty() || isFp8(elementTypeOf(product.getLhs()))) {
    return nullptr;
  }
  Value sums = getSums(product);
  SmallVector<OpOperand *> readers;
  collectReaders(sums, readers);
  if (Operation *gelu = findGelu(sums, readers)) {
    return gelu;
  }
  return sums == product.getResult() ? findGeluGradient(readers) : nullptr;
}

/// Whether nobody else reads what `op` reads of the product.
static bool isOnlyReader(Operation *op) {
  Value value = op->getOperand(0);
  for (; value.hasOneUse(); value = value.getDefiningOp()->getOperand(0)) {
    if (!value.getDefiningOp<ReshapeOp>()) {
      return true;
    }
  }
  return false;
}

bool accel::isPartOfCall(MatmulOp product, Operation *activation,
                         Operation *op) {
  OpOperand *bias = findBias(product);
  if (bias && (op == bias->getOwner() ||
               op == skipReshapes(bias->get()).getDefiningOp<CastOp>())) {
    return true;
  }
  Value rounded = isRounding(op) ? skipReshapes(op->getOperand(0)) : Value();
  if (activation) {
    bool isOfActivation = rounded && rounded == activation->getResult(0);
    bool isOfSums =
        rounded && isa<GeluOp>(activation) && rounded == getSums(product);
    return op == activation || isOfActivation || isOfSums;
  }
  SmallVector<Value> scales;
  Value scaled = rounded ? rounded : op->getResult(0);
  bool isSum = bias && skipReshapes(scaled) == bias->getOwner()->getResult(0);
  bool isKnown = rounded || isa<MulOp>(op);
  return isKnown && (isSum || isScaledSum(scaled, product, scales)) &&
         isOnlyReader(op);
}
