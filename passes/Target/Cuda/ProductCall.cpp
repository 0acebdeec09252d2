// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the product of a kernel and where its operands lie.
#include "passes/Target/Cuda/ProductCall.h"

#include "dialects/Accel/IR/ShapeChecks.h"
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

/// Whether a kernel returns its product, and that is all.
static bool returnsProduct(func::FuncOp kernel, MatmulOp product) {
  Operation *end = kernel.getBody().front().getTerminator();
  if (!product || !product.getScales().empty() || end->getNumOperands() != 1 ||
      getRoot(end->getOperand(0)) != product.getResult()) {
    return false;
  }
  Value result = end->getOperand(0);
  int64_t offset = 0;
  return elementTypeOf(result) == elementTypeOf(product.getResult()) &&
         isContiguousPart(result, product, offset) &&
         llvm::product_of(shapeOf(result)) ==
             llvm::product_of(shapeOf(product.getResult()));
}

plan::LibraryCallAttr accel::getProductCall(func::FuncOp kernel) {
  // What a GPU of the Hopper generation needs, and 4 MiB are enough before.
  constexpr int64_t kWorkspace = int64_t{32} << 20;
  MatmulOp product = getProduct(kernel);
  std::optional<Place> lhs, rhs;
  if (returnsProduct(kernel, product)) {
    lhs = findPlace(product.getLhs());
    rhs = findPlace(product.getRhs());
  }
  if (!lhs || !rhs) {
    kernel.emitOpError("expected one product of operands that lie in one piece "
                       "each, which is all that cuBLASLt computes");
    return {};
  }
  ProductShape shape = ProductShape::get(product);
  auto description = plan::ProductAttr::get(
      kernel.getContext(), shape.matrices, shape.rows, shape.columns,
      shape.depth, lhs->argument, lhs->offset, product.getTransposeLhs(),
      rhs->argument, rhs->offset, product.getTransposeRhs());
  return plan::LibraryCallAttr::get(kernel.getContext(), "cublasLt",
                                    "cublasLtMatmul", kWorkspace, description);
}
