// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product: verification, cost and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

namespace {
/// The sizes of a product: rows and columns of its result, and what is summed.
struct ProductSizes {
  int64_t rows;
  int64_t columns;
  int64_t inner;
  int64_t innerOfRhs;
};
} // namespace

static ProductSizes sizesOf(Value lhs, Value rhs, bool transposeLhs,
                            bool transposeRhs) {
  ArrayRef<int64_t> l = shapeOf(lhs).take_back(2);
  ArrayRef<int64_t> r = shapeOf(rhs).take_back(2);
  return {l[transposeLhs ? 1 : 0], r[transposeRhs ? 0 : 1],
          l[transposeLhs ? 0 : 1], r[transposeRhs ? 1 : 0]};
}

static SmallVector<int64_t> productShape(Value lhs, const ProductSizes &sizes) {
  SmallVector<int64_t> shape(shapeOf(lhs).drop_back(2));
  shape.append({sizes.rows, sizes.columns});
  return shape;
}

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                     Value rhs, bool transposeLhs, bool transposeRhs,
                     ProductRole role) {
  ProductSizes sizes = sizesOf(lhs, rhs, transposeLhs, transposeRhs);
  auto type =
      RankedTensorType::get(productShape(lhs, sizes), elementTypeOf(lhs));
  build(builder, state, type, lhs, rhs, transposeLhs, transposeRhs, role);
}

/// The shape of the scales of `operand`, whose dimension `summed`, counted from
/// the second last one on, is cut into blocks.
static SmallVector<int64_t> scaleShape(Value operand, int64_t summed,
                                       int64_t block) {
  SmallVector<int64_t> shape(shapeOf(operand));
  int64_t &size = shape[shape.size() - 2 + summed];
  size = ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, block);
  return shape;
}

static LogicalResult verifyScales(MatmulOp op) {
  // matmul_c4
  size_t count = op.getScales().size();
  bool hasBytes = elementTypeOf(op.getLhs()).getIntOrFloatBitWidth() == 8;
  auto block = static_cast<int64_t>(op.getBlock().value_or(0));
  bool isSound = count == 0 ? !op.getBlock()
                            : count == 2 && hasBytes && block >= 32 &&
                                  llvm::isPowerOf2_64(block);
  if (!isSound) {
    return op.emitOpError()
           << "expected two scales of operands of 8 bits, and `block` a power "
              "of two from 32 on, or neither, got "
           << count << " of " << elementTypeOf(op.getLhs()) << " and `block` "
           << block;
  }
  if (count == 0) {
    return success();
  }
  if (failed(verifyShape(
          op, "scales of lhs", op.getScales()[0],
          scaleShape(op.getLhs(), op.getTransposeLhs() ? 0 : 1, block)))) {
    return failure();
  }
  return verifyShape(
      op, "scales of rhs", op.getScales()[1],
      scaleShape(op.getRhs(), op.getTransposeRhs() ? 1 : 0, block));
}

LogicalResult MatmulOp::verify() {
  int64_t rank = shapeOf(getLhs()).size();
  Type element = elementTypeOf(getLhs());
  // matmul_c1
  if (failed(verifyMinimumRank(*this, "lhs", getLhs(), 2)) ||
      failed(verifyRank(*this, "rhs", getRhs(), rank)) ||
      failed(verifyRank(*this, "result", getResult(), rank))) {
    return failure();
  }
  unsigned width = element.getIntOrFloatBitWidth();
  unsigned other = elementTypeOf(getRhs()).getIntOrFloatBitWidth();
  if (!(width == 8 && other == 8) &&
      failed(verifyElementType(*this, "rhs", getRhs(), element))) {
    return failure();
  }
  bool isF32 = elementTypeOf(getResult()).isF32();
  if (width == 8 && !isF32) {
    return emitOpError() << "expected `result` of f32, in which floats of 8 "
                            "bits are summed, got "
                         << elementTypeOf(getResult());
  }
  bool isSummedInF32 = width <= 16 && isF32;
  if (!isSummedInF32 &&
      failed(verifyElementType(*this, "result", getResult(), element))) {
    return failure();
  }
  // matmul_c2
  ArrayRef<int64_t> batch = shapeOf(getLhs()).drop_back(2);
  if (!llvm::equal(shapeOf(getRhs()).drop_back(2), batch, fits)) {
    return emitOpError()
           << "expected the leading dimensions of `rhs` to be those of `lhs`, "
           << shapeText(batch) << ", got "
           << shapeText(shapeOf(getRhs()).drop_back(2));
  }
  // matmul_c3
  ProductSizes sizes =
      sizesOf(getLhs(), getRhs(), getTransposeLhs(), getTransposeRhs());
  if (!fits(sizes.innerOfRhs, sizes.inner)) {
    return emitOpError()
           << "expected the inner dimension of `rhs` to be that of `lhs`, "
           << sizes.inner << ", got " << sizes.innerOfRhs;
  }
  if (failed(verifyShape(*this, "result", getResult(),
                         productShape(getLhs(), sizes)))) {
    return failure();
  }
  return verifyScales(*this);
}

int64_t MatmulOp::getFlops() {
  ProductSizes sizes =
      sizesOf(getLhs(), getRhs(), getTransposeLhs(), getTransposeRhs());
  return ShapedType::isDynamic(sizes.inner)
             ? 0
             : 2 * sizes.inner * elementCount(getResult());
}

/// What is computed of parameters alone is one for all samples: its gradient is
/// a sum over them, as a parameter's own.
static ProductRole roleOfGradient(Value operand) {
  llvm::SetVector<Value> values;
  values.insert(operand);
  bool readsParameter = false;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *producer = values[i].getDefiningOp();
    if (!producer || isa<InputOp>(producer)) {
      return ProductRole::InputGradient;
    }
    readsParameter |= isa<ReadOp>(producer);
    values.insert_range(producer->getOperands());
  }
  return readsParameter ? ProductRole::WeightGradient
                        : ProductRole::InputGradient;
}

// With L and R the operands as the product sees them, Z = L R has the gradients
// dL = dZ R^T and dR = L^T dZ; of an operand that the product transposes, the
// transpose of that, which swaps the factors. Every transpose is a flag of the
// new product, so none moves data.
LogicalResult MatmulOp::buildGradient(OpBuilder &builder,
                                      ValueRange resultGradients,
                                      MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  bool lhs = getTransposeLhs();
  bool rhs = getTransposeRhs();
  ProductRole ofLhs = roleOfGradient(getLhs());
  ProductRole ofRhs = roleOfGradient(getRhs());
  operandGradients[0] =
      lhs ? b.create<MatmulOp>(getRhs(), gradient, rhs, true, ofLhs)
          : b.create<MatmulOp>(gradient, getRhs(), false, !rhs, ofLhs);
  operandGradients[1] =
      rhs ? b.create<MatmulOp>(gradient, getLhs(), true, lhs, ofRhs)
          : b.create<MatmulOp>(getLhs(), gradient, !lhs, false, ofRhs);
  for (Value product : operandGradients) {
    product.getDefiningOp<MatmulOp>().setExact(getExact());
  }
  return success();
}
