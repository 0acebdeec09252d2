// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose rows in memory have a length that a target multiplies slowly
// are computed of padded operands.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/Passes.h"
#include "passes/Fuse/ProductPart.h"
#include "passes/Target/Target.h"

#include "llvm/ADT/MapVector.h"

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
  /// buildPadded, one for all products.
  Value pad(Value matrix, int64_t rows, int64_t columns);

  llvm::MapVector<std::tuple<Value, int64_t, int64_t>, Value> padded;
};

} // namespace

Value PadProductsPass::pad(Value matrix, int64_t rows, int64_t columns) {
  Value &known = padded[{matrix, rows, columns}];
  if (!known) {
    OpBuilder builder(matrix.getContext());
    builder.setInsertionPointAfterValue(matrix);
    ArithmeticBuilder b(builder, matrix.getLoc());
    known = buildPadded(b, matrix, rows, columns);
  }
  return known;
}

/// A dimension is padded where it is the last one of an operand or of the
/// result, whose rows it is the length of.
void PadProductsPass::padProduct(MatmulOp product, int64_t multiple) {
  bool isLhsTransposed = product.getTransposeLhs();
  bool isRhsTransposed = product.getTransposeRhs();
  bool isDepthLast = !isLhsTransposed || isRhsTransposed;
  Value lhs = pad(product.getLhs(),
                  isLhsTransposed && isDepthLast ? multiple : 1, multiple);
  Value rhs = pad(product.getRhs(),
                  isRhsTransposed || isDepthLast ? multiple : 1, multiple);
  if (lhs == product.getLhs() && rhs == product.getRhs()) {
    return;
  }
  OpBuilder builder(product);
  ArithmeticBuilder b(builder, product.getLoc());
  RankedTensorType type = product.getType();
  int64_t rows = shapeOf(lhs)[isLhsTransposed ? 1 : 0];
  int64_t columns = shapeOf(rhs)[isRhsTransposed ? 0 : 1];
  MatmulOp whole = createPart(b, product, {rows, columns}, lhs, rhs,
                              isLhsTransposed, isRhsTransposed);
  auto takeFirst = [&](Operation *op, Value padded) {
    op->getResult(0).replaceAllUsesWith(
        buildFirst(b, padded, type.getDimSize(0), type.getDimSize(1)));
    op->erase();
  };
  // What is rounded is so while it is close: a kernel of its own would have to
  // read the sums.
  auto rounding = product->hasOneUse()
                      ? dyn_cast<CastOp>(*product->user_begin())
                      : CastOp();
  if (rounding) {
    takeFirst(rounding, b.cast(whole, elementTypeOf(rounding)));
    product.erase();
  } else {
    takeFirst(product, whole);
  }
}
