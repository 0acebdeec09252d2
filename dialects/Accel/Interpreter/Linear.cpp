// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What matrix products compute.
#include "dialects/Accel/Interpreter/OpFamilies.h"

using namespace mlir;

namespace accel {
namespace {

/// A matrix in row-major storage, possibly read transposed.
struct Matrix {
  ArrayRef<double> elements;
  int64_t rows; ///< as stored
  int64_t columns;
  bool transposed;

  double at(int64_t row, int64_t column) const {
    return transposed ? elements[column * columns + row]
                      : elements[row * columns + column];
  }
};

Matrix getMatrix(const HostTensor &tensor, int64_t batch, bool transposed) {
  ArrayRef<int64_t> shape = tensor.getShape();
  int64_t rows = shape[shape.size() - 2];
  int64_t columns = shape.back();
  return {tensor.floats().slice(batch * rows * columns, rows * columns), rows,
          columns, transposed};
}

void multiply(const Matrix &lhs, const Matrix &rhs,
              MutableArrayRef<double> out) {
  int64_t m = lhs.transposed ? lhs.columns : lhs.rows;
  int64_t inner = lhs.transposed ? lhs.rows : lhs.columns;
  int64_t n = rhs.transposed ? rhs.rows : rhs.columns;
  // Rows of the right matrix one after the other: the oracle of a large plan
  // multiplies a lot.
  std::vector<double> turned;
  if (rhs.transposed) {
    turned.resize(inner * n);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t k = 0; k < inner; ++k) {
        turned[k * n + j] = rhs.at(k, j);
      }
    }
  }
  const double *rows = rhs.transposed ? turned.data() : rhs.elements.data();
  for (int64_t i = 0; i < m; ++i) {
    double *sums = out.data() + i * n;
    for (int64_t k = 0; k < inner; ++k) {
      double factor = lhs.at(i, k);
      const double *row = rows + k * n;
      for (int64_t j = 0; j < n; ++j) {
        sums[j] += factor * row[j];
      }
    }
  }
}

} // namespace

Evaluation evaluateLinear(Operation *op, ArrayRef<HostTensor> operands) {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul) {
    return Evaluation();
  }
  HostTensor result(matmul.getType());
  MutableArrayRef<double> out = result.mutableFloats();
  ArrayRef<int64_t> shape = result.getShape();
  int64_t size = shape[shape.size() - 2] * shape.back();
  int64_t batches = size == 0 ? 0 : result.getNumElements() / size;
  for (int64_t batch = 0; batch < batches; ++batch) {
    multiply(getMatrix(operands[0], batch, matmul.getTransposeLhs()),
             getMatrix(operands[1], batch, matmul.getTransposeRhs()),
             out.slice(batch * size, size));
  }
  return HostTensors{result};
}

} // namespace accel
