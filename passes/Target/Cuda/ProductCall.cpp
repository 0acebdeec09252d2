// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the product of a kernel and where its operands lie.
#include "passes/Target/Cuda/ProductCall.h"

#include "dialects/Accel/IR/AccelDialect.h"
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

/// What `value` is a part of, through operations that move no element.
static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, SplitOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

static std::optional<Place> findPlace(Value operand) {
  auto argument = dyn_cast<BlockArgument>(getRoot(operand));
  Place place;
  if (!argument || !isContiguousPart(operand, argument, place.offset)) {
    return std::nullopt;
  }
  place.argument = argument.getArgNumber();
  return place;
}

/// Leading dimensions are matrices.
static plan::ProductAttr describe(MatmulOp product, Place lhs, Place rhs) {
  ArrayRef<int64_t> shape = cast<ShapedType>(product.getType()).getShape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  return plan::ProductAttr::get(
      product.getContext(),
      ShapedType::getNumElements(shape) / (rows * columns), rows, columns,
      getSummedElements(product), lhs.argument, lhs.offset,
      product.getTransposeLhs(), rhs.argument, rhs.offset,
      product.getTransposeRhs());
}

plan::LibraryCallAttr accel::getProductCall(func::FuncOp kernel) {
  // What a GPU of the Hopper generation needs, and 4 MiB are enough before.
  constexpr int64_t kWorkspace = int64_t{32} << 20;
  Block &body = kernel.getBody().front();
  Operation *end = body.getTerminator();
  auto product = end->getNumOperands() == 1
                     ? getRoot(end->getOperand(0)).getDefiningOp<MatmulOp>()
                     : MatmulOp();
  int64_t offset = 0;
  bool isAll =
      product && product.getScales().empty() &&
      isContiguousPart(end->getOperand(0), product, offset) &&
      ShapedType::getNumElements(
          cast<ShapedType>(product.getType()).getShape()) ==
          cast<ShapedType>(end->getOperand(0).getType()).getNumElements();
  std::optional<Place> lhs, rhs;
  if (isAll) {
    lhs = findPlace(product.getLhs());
    rhs = findPlace(product.getRhs());
  }
  if (!lhs || !rhs) {
    kernel.emitOpError("expected one product of operands that lie in one piece "
                       "each, which is all that cuBLASLt computes");
    return {};
  }
  return plan::LibraryCallAttr::get(kernel.getContext(), "cublasLt",
                                    "cublasLtMatmul", kWorkspace,
                                    describe(product, *lhs, *rhs));
}
