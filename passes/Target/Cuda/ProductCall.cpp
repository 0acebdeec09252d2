// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the product of a kernel and where its operands lie.
#include "passes/Target/Cuda/ProductCall.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

namespace {

/// Where an operand of the product lies.
struct Place {
  int64_t argument = 0;
  int64_t offset = 0; ///< elements
};

} // namespace

static Value getRoot(Value value) {
  return getViewRoot(value, [](Value) { return false; });
}

static std::optional<Place> findPlace(Value operand) {
  auto argument = dyn_cast<BlockArgument>(getRoot(operand));
  Place place;
  if (!argument || elementTypeOf(argument) != elementTypeOf(operand) ||
      !isContiguousPart(operand, argument, place.offset)) {
    return std::nullopt;
  }
  place.argument = argument.getArgNumber();
  return place;
}

/// `value` under another shape is still what it was.
static Value skipReshapes(Value value) {
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

/// Whether `value` is the sums of `product` under at most two scales, which
/// then are in `scales`, the last one first.
static bool isScaledSum(Value value, MatmulOp product,
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

/// The type in which `value` is stored, which nothing but its rounding reads.
static Type getTypeStored(Value value) {
  while (value.hasOneUse() && isa<ReshapeOp>(*value.user_begin())) {
    value = value.user_begin()->getResult(0);
  }
  bool isRounded = value.hasOneUse() && isRounding(*value.user_begin());
  return elementTypeOf(isRounded ? value.user_begin()->getResult(0) : value);
}

/// The vector that `value` repeats for all rows, of floats that may have been
/// widened since; null if there is none.
static Value findRepeatedVector(Value value) {
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
  Value root = getRoot(vector);
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

bool accel::isPartOfCall(MatmulOp product, Operation *op) {
  OpOperand *bias = findBias(product);
  if (bias && (op == bias->getOwner() ||
               op == skipReshapes(bias->get()).getDefiningOp<CastOp>())) {
    return true;
  }
  SmallVector<Value> scales;
  Value scaled = isRounding(op) ? op->getOperand(0) : op->getResult(0);
  bool isSum = bias && skipReshapes(scaled) == bias->getOwner()->getResult(0);
  bool isKnown = isRounding(op) || isa<MulOp>(op);
  return isKnown && (isSum || isScaledSum(scaled, product, scales)) &&
         isOnlyReader(op);
}

/// The scales of a kernel that returns its product, times them, with its bias
/// and rounded, and that is all; the last one first.
static std::optional<SmallVector<Value>> getScales(func::FuncOp kernel,
                                                   MatmulOp product) {
  Operation *end = kernel.getBody().front().getTerminator();
  SmallVector<Value> scales;
  if (!product || !product.getScales().empty() || end->getNumOperands() != 1) {
    return std::nullopt;
  }
  Value result = skipReshapes(end->getOperand(0));
  if (isRounding(result.getDefiningOp())) {
    result = skipReshapes(result.getDefiningOp()->getOperand(0));
  }
  OpOperand *bias = findBias(product);
  if (bias && result == bias->getOwner()->getResult(0)) {
    result = bias->getOwner()->getOperand(1 - bias->getOperandNumber());
  }
  return isScaledSum(result, product, scales) ? std::optional(scales)
                                              : std::nullopt;
}

/// The factor that `operand` of a product is, scaled by `scale`, if there is
/// one; null if it does not lie in one piece of what the kernel reads.
static plan::FactorAttr getFactor(Value operand, bool isTransposed,
                                  Value scale) {
  std::optional<Place> place = findPlace(operand);
  std::optional<Place> ofScale = scale ? findPlace(scale) : Place{-1, 0};
  if (!place || !ofScale) {
    return {};
  }
  return plan::FactorAttr::get(operand.getContext(), place->argument,
                               place->offset, isTransposed, ofScale->argument,
                               ofScale->offset);
}

plan::LibraryCallAttr accel::getProductCall(func::FuncOp kernel,
                                            bool mayUseTf32) {
  // What a GPU of the Hopper generation needs, and 4 MiB are enough before.
  constexpr int64_t kWorkspace = int64_t{32} << 20;
  MatmulOp product = getProduct(kernel);
  plan::FactorAttr lhs, rhs;
  std::optional<Place> ofBias = Place{-1, 0};
  if (std::optional<SmallVector<Value>> scales = getScales(kernel, product)) {
    scales->resize(2); // which is whose makes no difference to the result
    lhs =
        getFactor(product.getLhs(), product.getTransposeLhs(), scales->back());
    rhs =
        getFactor(product.getRhs(), product.getTransposeRhs(), scales->front());
    if (OpOperand *bias = findBias(product)) {
      ofBias = findPlace(findRepeatedVector(bias->get()));
    }
  }
  if (!lhs || !rhs || !ofBias) {
    kernel.emitOpError("expected one product of operands that lie in one piece "
                       "each, which is all that cuBLASLt computes");
    return {};
  }
  ProductShape shape = ProductShape::get(product);
  bool usesTf32 = mayUseTf32 && elementTypeOf(product.getLhs()).isF32();
  auto description = plan::ProductAttr::get(
      kernel.getContext(), shape.matrices, shape.rows, shape.columns,
      shape.depth, lhs, rhs, usesTf32, ofBias->argument, ofBias->offset);
  return plan::LibraryCallAttr::get(kernel.getContext(), "cublasLt",
                                    "cublasLtMatmul", kWorkspace, description);
}
