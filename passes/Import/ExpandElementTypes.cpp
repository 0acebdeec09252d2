// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes arithmetic on element types that no kernel computes with in types that
// kernels have.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_EXPANDELEMENTTYPESPASS
#include "passes/Import/Passes.h.inc"

namespace {

bool isLowType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<BFloat16Type, Float16Type>(tensor.getElementType());
}

/// Whether kernels do this to elements of 16 bits as they are: they move them,
/// choose them, and multiply matrices of them. What names an input, a parameter
/// or a state has its type.
bool takesLowTypes(Operation *op) {
  return isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, ConcatOp, PadOp,
             SplitOp, SelectOp, CastOp, ConstantOp, GatherOp, MatmulOp,
             AttentionOp, InputOp, ReadOp, WriteOp, AccumulateOp>(op);
}

bool isDouble(MatmulOp product) {
  return getElementTypeOrSelf(product.getLhs().getType()).isF64();
}

/// The same in f32, and what comes out of it rounded.
void widen(Operation *op) {
  OpBuilder builder(op);
  auto wideOf = [&](Type type) {
    return isLowType(type)
               ? cast<RankedTensorType>(type).clone(builder.getF32Type())
               : type;
  };
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isLowType(operand.getType()) && !mapping.contains(operand)) {
      mapping.map(operand, CastOp::create(builder, op->getLoc(),
                                          wideOf(operand.getType()), operand));
    }
  }
  Operation *wide = builder.clone(*op, mapping);
  for (auto [result, narrow] :
       llvm::zip_equal(wide->getResults(), op->getResults())) {
    result.setType(wideOf(narrow.getType()));
    Value rounded = result;
    if (isLowType(narrow.getType())) {
      rounded = CastOp::create(builder, op->getLoc(), narrow.getType(), result);
    }
    narrow.replaceAllUsesWith(rounded);
  }
  op->erase();
}

/// Sums are f32 everywhere, so that the result is what is rounded.
void roundResult(MatmulOp product) {
  OpBuilder builder(product->getContext());
  builder.setInsertionPointAfter(product);
  Value result = product.getResult();
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(builder.getF32Type()));
  auto rounded = CastOp::create(builder, product.getLoc(), type, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

/// A product of doubles is a sum of products: (b.., m, k) times (b.., k, n) as
/// (b.., m, n, k), which no memory ever holds: a kernel sums along k, which is
/// the last dimension of both sides where it reads them.
void sumProducts(MatmulOp product) {
  OpBuilder builder(product);
  ArithmeticBuilder b(builder, product.getLoc());
  auto type = cast<RankedTensorType>(product.getResult().getType());
  auto left = cast<RankedTensorType>(product.getLhs().getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> wide(type.getShape());
  wide.push_back(
      left.getDimSize(product.getTransposeLhs() ? rank - 2 : rank - 1));
  // Where the last two dimensions of each side lie.
  auto spread = [&](Value side, int64_t kept, bool keptFirst) {
    SmallVector<int64_t> dimensions =
        llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
    dimensions.push_back(keptFirst ? kept : rank);
    dimensions.push_back(keptFirst ? rank : kept);
    // A broadcast names dimensions in ascending order.
    Value ordered = side;
    if (!keptFirst) {
      SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
      std::swap(swap[rank - 2], swap[rank - 1]);
      auto from = cast<RankedTensorType>(side.getType());
      SmallVector<int64_t> shape(from.getShape());
      std::swap(shape[rank - 2], shape[rank - 1]);
      auto turned = TransposeOp::create(builder, product.getLoc(),
                                        from.clone(shape), side, swap);
      turned.setStored(true);
      ordered = turned;
      std::swap(dimensions[rank - 2], dimensions[rank - 1]);
    }
    return b.create<BroadcastOp>(type.clone(wide), ordered, dimensions);
  };
  Value lhs = spread(product.getLhs(), rank - 2, !product.getTransposeLhs());
  Value rhs = spread(product.getRhs(), rank - 1, product.getTransposeRhs());
  Value sum =
      b.create<ReduceSumOp>(type, b.mul(lhs, rhs), ArrayRef<int64_t>{rank});
  product.getResult().replaceAllUsesWith(sum);
  product.erase();
}

class ExpandElementTypesPass
    : public impl::ExpandElementTypesPassBase<ExpandElementTypesPass> {
public:
  using ExpandElementTypesPassBase::ExpandElementTypesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> low;
    SmallVector<MatmulOp> doubles, products;
    getOperation().walk([&](Operation *op) {
      auto matmul = dyn_cast<MatmulOp>(op);
      bool isLow = llvm::any_of(op->getOperandTypes(), isLowType) ||
                   llvm::any_of(op->getResultTypes(), isLowType);
      if (isa<AccelDialect>(op->getDialect()) && isLow && !stays(op)) {
        low.push_back(op);
      } else if (matmul && isLowType(matmul.getResult().getType())) {
        products.push_back(matmul);
      } else if (matmul && isDouble(matmul) && !differentiable) {
        doubles.push_back(matmul);
      }
    });
    llvm::for_each(low, widen);
    llvm::for_each(doubles, sumProducts);
    llvm::for_each(products, roundResult);
  }

private:
  /// The operands of a product have one type, and so have its gradients: a
  /// result of f32 beside operands of 16 bits would have none.
  bool stays(Operation *op) const {
    return takesLowTypes(op) &&
           !(differentiable && isa<MatmulOp, AttentionOp>(op));
  }
};

} // namespace
} // namespace accel
