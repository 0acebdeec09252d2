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
  SmallVector<Value> scales;
  Value scaled = isRounding(op) ? op->getOperand(0) : op->getResult(0);
  bool isKnown = isRounding(op) || isa<MulOp>(op);
  return isKnown && isScaledSum(scaled, product, scales) && isOnlyReader(op);
}

/// The scales of a kernel that returns its product, times them and rounded, and
/// that is all; the last one first.
static std::optional<SmallVector<Value>> getScales(func::FuncOp kernel,
                                                   MatmulOp product) {
  Operation *end = kernel.getBody().front().getTerminator();
  SmallVector<Value> scales;
  if (!product || !product.getScales().empty() || end->getNumOperands() != 1) {
    return std::nullopt;
  }
  Value result = skipReshapes(end->getOperand(0));
  if (isRounding(result.getDefiningOp())) {
    result = result.getDefiningOp()->getOperand(0);
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
  if (std::optional<SmallVector<Value>> scales = getScales(kernel, product)) {
    scales->resize(2); // which is whose makes no difference to the result
    lhs =
        getFactor(product.getLhs(), product.getTransposeLhs(), scales->back());
    rhs =
        getFactor(product.getRhs(), product.getTransposeRhs(), scales->front());
  }
  if (!lhs || !rhs) {
    kernel.emitOpError("expected one product of operands that lie in one piece "
                       "each, which is all that cuBLASLt computes");
    return {};
  }
  ProductShape shape = ProductShape::get(product);
  bool usesTf32 = mayUseTf32 && elementTypeOf(product.getLhs()).isF32();
  auto description =
      plan::ProductAttr::get(kernel.getContext(), shape.matrices, shape.rows,
                             shape.columns, shape.depth, lhs, rhs, usesTf32);
  return plan::LibraryCallAttr::get(kernel.getContext(), "cublasLt",
                                    "cublasLtMatmul", kWorkspace, description);
}
