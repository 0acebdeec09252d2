// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces a matrix that is gathered for every row, and the product of each row
// with its own, by accel.grouped_matmul.
//
//   gather(weights, indices) -> select(exists, ., NaN) -> matmul(., row)
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISEGROUPEDPRODUCTSPASS
#include "passes/Import/Passes.h.inc"

namespace {

struct GroupedProduct {
  MatmulOp product;
  GatherOp gather;
  Value exists;    ///< of the shape of the indices: other rows are NaN; or null
  Value rows;      ///< each a matrix of one row or of one column
  bool transposes; ///< what multiplies a row lies transposed
};

/// The flags of `shape` under a broadcast along all dimensions behind.
Value findFlags(Value condition, ArrayRef<int64_t> shape) {
  auto broadcast = condition.getDefiningOp<BroadcastOp>();
  auto leading = llvm::seq<int64_t>(0, std::ssize(shape));
  if (!broadcast || !llvm::equal(broadcast.getDimensions(), leading)) {
    return {};
  }
  Value flags = broadcast.getOperand();
  return typeOf(flags).getShape() == shape ? flags : Value();
}

/// The gather of a matrix for each row that `value` is, with its flags.
GatherOp findGather(Value value, Value &exists) {
  if (auto select = value.getDefiningOp<SelectOp>()) {
    std::optional<double> otherwise = getSplat(select.getOnFalse());
    exists =
        findFlags(select.getCondition(), typeOf(value).getShape().drop_back(2));
    if (!otherwise || !std::isnan(*otherwise) || !exists) {
      return {};
    }
    value = select.getOnTrue();
  }
  auto gather = value.getDefiningOp<GatherOp>();
  bool isOfMatrices = gather && typeOf(gather.getTable()).getRank() == 3 &&
                      !gather.getPaddingRow();
  return isOfMatrices ? gather : GatherOp();
}

/// A row is a matrix of one column on the right, or of one row on the left.
/// Kernels of grouped products multiply f32.
std::optional<GroupedProduct> match(MatmulOp product) {
  bool isOfFloats = llvm::all_of(product->getOperandTypes(), [](Type operand) {
    return cast<RankedTensorType>(operand).getElementType().isF32();
  });
  ArrayRef<int64_t> shape = typeOf(product).getShape();
  if (shape.size() < 3 || !isOfFloats) {
    return std::nullopt;
  }
  GroupedProduct found{product, {}, {}, {}, false};
  bool isLeft = shape.back() == 1;
  if (!isLeft && shape.drop_back().back() != 1) {
    return std::nullopt;
  }
  found.gather =
      findGather(isLeft ? product.getLhs() : product.getRhs(), found.exists);
  found.rows = isLeft ? product.getRhs() : product.getLhs();
  found.transposes =
      isLeft ? !product.getTransposeLhs() : product.getTransposeRhs();
  return found.gather ? std::optional(found) : std::nullopt;
}

/// `value`, and NaN in the rows that do not exist.
Value keepExisting(ArithmeticBuilder &b, Value value, Value exists) {
  Type flag = cast<RankedTensorType>(exists.getType()).getElementType();
  Value everywhere = b.create<BroadcastOp>(typeOf(value).clone(flag), exists,
                                           ArrayRef<int64_t>{0});
  Value otherwise = b.constant(value, std::numeric_limits<double>::quiet_NaN());
  return b.select(everywhere, value, otherwise);
}

void replace(GroupedProduct found) {
  OpBuilder builder(found.product);
  Location loc = found.product.getLoc();
  ArithmeticBuilder b(builder, loc);
  RankedTensorType type = typeOf(found.product);
  int64_t count = typeOf(found.gather.getIndices()).getNumElements();
  int64_t inner = typeOf(found.rows).getNumElements() / count;
  Value rows = b.reshape(found.rows, {count, inner});
  Value indices = b.reshape(found.gather.getIndices(), count);
  Value grouped = GroupedMatmulOp::create(
      builder, loc, type.clone({count, type.getNumElements() / count}), rows,
      found.gather.getTable(), indices, found.transposes);
  if (found.exists) {
    grouped = keepExisting(b, grouped, b.reshape(found.exists, count));
  }
  found.product.getResult().replaceAllUsesWith(
      b.reshape(grouped, type.getShape()));
  remark::passed(loc, remark::RemarkOpts::name("GroupedProduct")
                          .category("accel-recognise-grouped-products"))
      << remark::add("recognised {0} rows, each times one of {1} matrices",
                     count, typeOf(found.gather.getTable()).getDimSize(0));
}

class RecogniseGroupedProductsPass
    : public impl::RecogniseGroupedProductsPassBase<
          RecogniseGroupedProductsPass> {
public:
  using RecogniseGroupedProductsPassBase::RecogniseGroupedProductsPassBase;

  void runOnOperation() override {
    getOperation().walk([](MatmulOp product) {
      if (std::optional<GroupedProduct> found = match(product)) {
        replace(*found);
      }
    });
    eraseDeadCode(getOperation());
  }
};

} // namespace
} // namespace accel
