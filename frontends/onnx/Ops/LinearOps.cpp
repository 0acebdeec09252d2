// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of matrix products. A product of many matrices with one is one
// large product of rows.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include <numeric>

using namespace mlir;

namespace accel::onnx {
namespace {

Value makeMatmul(NodeConversion &c, Value lhs, Value rhs,
                 bool transposeLhs = false, bool transposeRhs = false) {
  RankedTensorType left = c.typeOf(lhs), right = c.typeOf(rhs);
  SmallVector<int64_t> shape(left.getShape());
  int64_t rank = left.getRank();
  shape[rank - 2] = left.getDimSize(transposeLhs ? rank - 1 : rank - 2);
  shape[rank - 1] = right.getDimSize(transposeRhs ? rank - 2 : rank - 1);
  return MatmulOp::create(c.builder, c.loc, left.clone(shape), lhs, rhs,
                          transposeLhs, transposeRhs);
}

LogicalResult checkMatrices(NodeConversion &c, int64_t leftInner,
                            int64_t rightInner) {
  bool floats =
      isa<FloatType>(c.inputType(0).getElementType()) &&
      c.inputType(0).getElementType() == c.inputType(1).getElementType();
  if (!floats || leftInner != rightInner) {
    return c.error() << "expected float matrices of one element type whose "
                        "inner dimensions agree, got "
                     << c.inputType(0) << " and " << c.inputType(1);
  }
  return success();
}

/// lhs (..., m, k) and rhs (k, n): the leading dimensions and m are rows of one
/// product.
Value multiplyRows(NodeConversion &c, Value lhs, Value rhs) {
  ArrayRef<int64_t> shape = c.typeOf(lhs).getShape();
  int64_t rows = std::accumulate(shape.begin(), shape.end() - 1, int64_t(1),
                                 std::multiplies<>());
  Value product = makeMatmul(c, c.reshape(lhs, {rows, shape.back()}), rhs);
  SmallVector<int64_t> result(shape.drop_back());
  result.push_back(c.typeOf(rhs).getDimSize(1));
  return c.reshape(product, result);
}

FailureOr<Value> multiplyBatches(NodeConversion &c, Value lhs, Value rhs) {
  ArrayRef<int64_t> left = c.typeOf(lhs).getShape(),
                    right = c.typeOf(rhs).getShape();
  FailureOr<SmallVector<int64_t>> batch =
      getCommonShape(c, {left.drop_back(2), right.drop_back(2)});
  if (failed(batch)) {
    return failure();
  }
  auto widen = [&](Value value, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> full(*batch);
    llvm::append_range(full, shape.take_back(2));
    return broadcastTo(c, value, full);
  };
  Value wideLhs = widen(lhs, left), wideRhs = widen(rhs, right);
  return makeMatmul(c, wideLhs, wideRhs);
}

/// A scalar attribute as a factor.
Value scale(NodeConversion &c, Value value, double factor) {
  return factor == 1.0 ? value
                       : MulOp::create(c.builder, c.loc, value.getType(), value,
                                       c.makeConstant(c.typeOf(value), factor))
                             .getResult();
}

} // namespace

LogicalResult convertMatMul(NodeConversion &c) {
  RankedTensorType leftType = c.inputType(0), rightType = c.inputType(1);
  if (leftType.getRank() == 0 || rightType.getRank() == 0) {
    return c.error() << "expected vectors or matrices, got " << leftType
                     << " and " << rightType;
  }
  // Vectors are matrices of one row or one column for the duration of the
  // product.
  Value lhs = leftType.getRank() == 1
                  ? c.reshape(c.input(0), {1, leftType.getDimSize(0)})
                  : c.input(0);
  Value rhs = rightType.getRank() == 1
                  ? c.reshape(c.input(1), {rightType.getDimSize(0), 1})
                  : c.input(1);
  ArrayRef<int64_t> left = c.typeOf(lhs).getShape(),
                    right = c.typeOf(rhs).getShape();
  if (failed(checkMatrices(c, left.back(), right[right.size() - 2]))) {
    return failure();
  }
  FailureOr<Value> product = right.size() == 2
                                 ? FailureOr<Value>(multiplyRows(c, lhs, rhs))
                                 : multiplyBatches(c, lhs, rhs);
  if (failed(product)) {
    return failure();
  }
  SmallVector<int64_t> shape(c.typeOf(*product).getShape());
  if (rightType.getRank() == 1) {
    shape.pop_back();
  }
  if (leftType.getRank() == 1) {
    shape.erase(shape.end() - (rightType.getRank() == 1 ? 1 : 2));
  }
  c.setResult(0, c.reshape(*product, shape));
  return success();
}

LogicalResult convertGemm(NodeConversion &c) {
  if (c.inputType(0).getRank() != 2 || c.inputType(1).getRank() != 2) {
    return c.error() << "expected matrices, got " << c.inputType(0) << " and "
                     << c.inputType(1);
  }
  bool transposeLhs = c.getInt("transA", 0) != 0,
       transposeRhs = c.getInt("transB", 0) != 0;
  if (failed(checkMatrices(c, c.inputType(0).getDimSize(transposeLhs ? 0 : 1),
                           c.inputType(1).getDimSize(transposeRhs ? 1 : 0)))) {
    return failure();
  }
  Value product = scale(
      c, makeMatmul(c, c.input(0), c.input(1), transposeLhs, transposeRhs),
      c.getFloat("alpha", 1.0));
  if (!c.hasInput(2)) {
    c.setResult(0, product);
    return success();
  }
  if (c.inputType(2).getElementType() != c.typeOf(product).getElementType()) {
    return c.error() << "expected a bias of the matrices' element type, got "
                     << c.inputType(2);
  }
  FailureOr<SmallVector<Value>> operands = broadcastTogether(
      c, {product, scale(c, c.input(2), c.getFloat("beta", 1.0))});
  if (failed(operands)) {
    return failure();
  }
  if ((*operands)[0] != product) {
    return c.error() << "expected a bias that broadcasts to "
                     << product.getType() << ", got " << c.inputType(2);
  }
  c.setResult(0, AddOp::create(c.builder, c.loc, product.getType(), product,
                               (*operands)[1]));
  return success();
}

} // namespace accel::onnx
