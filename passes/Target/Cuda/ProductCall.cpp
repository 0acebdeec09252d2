// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the product of a kernel and where its operands lie.
#include "passes/Target/Cuda/ProductCall.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Target/Cuda/CallEpilogue.h"

using namespace mlir;
using namespace accel;

namespace {

/// Where an operand of the product lies.
struct Place {
  int64_t argument = 0;
  int64_t offset = 0; ///< elements
};

/// What a kernel makes of its product.
struct Epilogue {
  SmallVector<Value> scales; ///< the last one first
  Operation *activation = nullptr;
  Place kept{-1, 0}; ///< what the activation is applied to; -1: nowhere
};

} // namespace

static std::optional<Place> findPlace(Value operand) {
  auto argument = dyn_cast<BlockArgument>(getViewRoot(operand));
  Place place;
  if (!argument || elementTypeOf(argument) != elementTypeOf(operand) ||
      !isContiguousPart(operand, argument, place.offset)) {
    return std::nullopt;
  }
  place.argument = argument.getArgNumber();
  return place;
}

/// Which result of `kernel` stores `value`, rounded or not; -1: none does.
static int64_t findResult(func::FuncOp kernel, Value value) {
  Operation *end = kernel.getBody().front().getTerminator();
  for (OpOperand &stored : end->getOpOperands()) {
    if (skipRounding(stored.get()) == value) {
      return stored.getOperandNumber();
    }
  }
  return -1;
}

/// That of a kernel whose activation is `activation`, if it stores that and, of
/// a GELU, perhaps what it is applied to, and nothing else.
static std::optional<Epilogue>
getActivated(func::FuncOp kernel, MatmulOp product, Operation *activation) {
  Epilogue epilogue;
  epilogue.activation = activation;
  int64_t results = 1;
  if (auto gradient = dyn_cast<GeluGradOp>(activation)) {
    std::optional<Place> place = findPlace(gradient.getOperand());
    if (!place) {
      return std::nullopt;
    }
    epilogue.kept = *place;
  } else if (int64_t kept = findResult(kernel, getSums(product)); kept >= 0) {
    epilogue.kept = {kernel.getNumArguments() + kept, 0};
    results = 2;
  }
  bool isAll = findResult(kernel, activation->getResult(0)) >= 0 &&
               kernel.getNumResults() == results;
  return isAll ? std::optional(epilogue) : std::nullopt;
}

/// That of a kernel that stores its product, times its scales, with its bias
/// and activation, rounded, and that is all.
static std::optional<Epilogue> getEpilogue(func::FuncOp kernel,
                                           MatmulOp product) {
  Operation *end = kernel.getBody().front().getTerminator();
  if (!product || !product.getScales().empty()) {
    return std::nullopt;
  }
  if (Operation *activation = findActivation(product)) {
    return getActivated(kernel, product, activation);
  }
  if (end->getNumOperands() != 1) {
    return std::nullopt;
  }
  Epilogue epilogue;
  Value result = skipRounding(end->getOperand(0));
  OpOperand *bias = findBias(product);
  if (bias && result == bias->getOwner()->getResult(0)) {
    result = bias->getOwner()->getOperand(1 - bias->getOperandNumber());
  }
  return isScaledSum(result, product, epilogue.scales) ? std::optional(epilogue)
                                                       : std::nullopt;
}

static plan::Activation getActivation(const Epilogue &epilogue) {
  return !epilogue.activation               ? plan::Activation::None
         : isa<GeluOp>(epilogue.activation) ? plan::Activation::Gelu
                                            : plan::Activation::GeluGradient;
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
  std::optional<Epilogue> epilogue = getEpilogue(kernel, product);
  if (epilogue) {
    SmallVector<Value> scales = epilogue->scales;
    scales.resize(2); // which is whose makes no difference to the result
    lhs = getFactor(product.getLhs(), product.getTransposeLhs(), scales.back());
    rhs =
        getFactor(product.getRhs(), product.getTransposeRhs(), scales.front());
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
  bool usesTf32 = mayUseTf32 && !product.getExact() &&
                  elementTypeOf(product.getLhs()).isF32();
  auto description = plan::ProductAttr::get(
      kernel.getContext(), shape.matrices, shape.rows, shape.columns,
      shape.depth, lhs, rhs, usesTf32, ofBias->argument, ofBias->offset,
      getActivation(*epilogue), epilogue->kept.argument, epilogue->kept.offset);
  return plan::LibraryCallAttr::get(kernel.getContext(), "cublasLt",
                                    "cublasLtMatmul", kWorkspace, description,
                                    /*convolution=*/{});
}
