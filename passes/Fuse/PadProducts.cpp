// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose rows in memory have a length that a target multiplies slowly
// are computed of padded operands.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/Passes.h"
#include "passes/Target/Target.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace accel {
#define GEN_PASS_DEF_PADPRODUCTSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class PadProductsPass
    : public accel::impl::PadProductsPassBase<PadProductsPass> {
public:
  using PadProductsPassBase::PadProductsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    padded.clear();
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp product) {
      if (product.getScales().empty() && product.getType().getRank() == 2) {
        products.push_back(product);
      }
    });
    for (MatmulOp product : products) {
      if (int64_t multiple = target->getRowMultiple(product); multiple > 1) {
        padProduct(product, multiple);
      }
    }
  }

private:
  void padProduct(MatmulOp product, int64_t multiple);
  /// `tensor` with zeros behind, `size` long along `axis`: one of it for all
  /// products.
  Value pad(Value tensor, int64_t axis, int64_t size);

  llvm::MapVector<std::tuple<Value, int64_t, int64_t>, Value> padded;
};

} // namespace

Value PadProductsPass::pad(Value tensor, int64_t axis, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t missing = size - type.getDimSize(axis);
  if (missing == 0) {
    return tensor;
  }
  Value &known = padded[{tensor, axis, size}];
  if (!known) {
    OpBuilder builder(tensor.getContext());
    builder.setInsertionPointAfterValue(tensor);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = missing;
    RankedTensorType behind = type.clone(shape);
    auto zero = builder.getFloatAttr(type.getElementType(), 0.0);
    Value zeros = ConstantOp::create(builder, tensor.getLoc(),
                                     DenseElementsAttr::get(behind, zero));
    known = ConcatOp::create(builder, tensor.getLoc(),
                             ValueRange{tensor, zeros}, axis);
  }
  return known;
}

/// A dimension is padded where it is the last one of an operand or of the
/// result, whose rows it is the length of.
void PadProductsPass::padProduct(MatmulOp product, int64_t multiple) {
  bool isLhsTransposed = product.getTransposeLhs();
  bool isRhsTransposed = product.getTransposeRhs();
  ArrayRef<int64_t> lhs = shapeOf(product.getLhs());
  auto sizeOf = [&](int64_t size, bool isLast) {
    return isLast ? static_cast<int64_t>(llvm::alignTo(size, multiple)) : size;
  };
  ArrayRef<int64_t> shape = product.getType().getShape();
  int64_t rows = sizeOf(shape[0], isLhsTransposed);
  int64_t columns = sizeOf(shape[1], /*isLast=*/true);
  int64_t depth =
      sizeOf(lhs[isLhsTransposed ? 0 : 1], !isLhsTransposed || isRhsTransposed);
  Value left = pad(product.getLhs(), isLhsTransposed ? 1 : 0, rows);
  left = pad(left, isLhsTransposed ? 0 : 1, depth);
  Value right = pad(product.getRhs(), isRhsTransposed ? 0 : 1, columns);
  right = pad(right, isRhsTransposed ? 1 : 0, depth);
  if (left == product.getLhs() && right == product.getRhs()) {
    return;
  }
  OpBuilder builder(product);
  RankedTensorType type = product.getType().clone({rows, columns});
  auto whole =
      MatmulOp::create(builder, product.getLoc(), type, left, right,
                       isLhsTransposed, isRhsTransposed, product.getRole());
  whole->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  Value part = builder.createOrFold<SliceOp>(
      product.getLoc(), product.getType(), whole.getResult(),
      ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{1, 1});
  product.replaceAllUsesWith(part);
  product.erase();
}
