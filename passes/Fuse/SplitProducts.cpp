// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of long columns become products of parts of these, which threads
// share out, and their sum.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/Passes.h"
#include "passes/Fuse/ProductPart.h"
#include "passes/Target/Target.h"

namespace accel {
#define GEN_PASS_DEF_SPLITPRODUCTSPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

/// Whether parts of both operands' summed index are parts of their rows.
static bool sumsRows(MatmulOp product) {
  return product.getTransposeLhs() && !product.getTransposeRhs() &&
         product.getScales().empty() &&
         shapeOf(product.getResult()).size() == 2;
}

static void split(MatmulOp product, int64_t parts) {
  OpBuilder builder(product);
  ArithmeticBuilder b(builder, product.getLoc());
  auto cut = [&](Value operand) {
    ArrayRef<int64_t> shape = shapeOf(operand);
    return b.reshape(operand, {parts, shape[0] / parts, shape[1]});
  };
  SmallVector<int64_t> shape{parts};
  llvm::append_range(shape, shapeOf(product.getResult()));
  // Products of rounded operands are sums in f32.
  Value lhs = cut(product.getLhs()), rhs = cut(product.getRhs());
  Value all = createPart(b, product, shape, lhs, rhs,
                         /*transposeLhs=*/true, /*transposeRhs=*/false);
  product.replaceAllUsesWith(b.sum(all, 0));
  product.erase();
}

namespace {

class SplitProductsPass
    : public accel::impl::SplitProductsPassBase<SplitProductsPass> {
public:
  using SplitProductsPassBase::SplitProductsPassBase;

  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    SmallVector<std::pair<MatmulOp, int64_t>> products;
    getOperation().walk([&](MatmulOp product) {
      int64_t parts = sumsRows(product) ? target->getSummedParts(product) : 1;
      if (parts > 1) {
        products.emplace_back(product, parts);
      }
    });
    for (auto [product, parts] : products) {
      split(product, parts);
    }
  }
};

} // namespace
