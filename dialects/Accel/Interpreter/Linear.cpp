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

/// The elements of `operand` times the scales of their blocks, which lie along
/// its second last dimension (`summed` 0) or its last one.
HostTensor multiplyScales(const HostTensor &operand, const HostTensor &scales,
                          int64_t summed, int64_t block) {
  HostTensor result = operand;
  ArrayRef<int64_t> shape = operand.getShape();
  int64_t columns = shape.back();
  int64_t rows = shape[shape.size() - 2];
  int64_t scaleRows = scales.getShape()[shape.size() - 2];
  int64_t scaleColumns = scales.getShape().back();
  MutableArrayRef<double> elements = result.mutableFloats();
  for (size_t i = 0; i < elements.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    int64_t matrix = index / (rows * columns);
    int64_t row = index / columns % rows / (summed == 0 ? block : 1);
    int64_t column = index % columns / (summed == 0 ? 1 : block);
    elements[i] *=
        scales.floats()[(matrix * scaleRows + row) * scaleColumns + column];
  }
  return result;
}

} // namespace

Evaluation evaluateLinear(Operation *op, ArrayRef<HostTensor> operands) {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul) {
    return Evaluation();
  }
  HostTensor lhs = operands[0];
  HostTensor rhs = operands[1];
  if (matmul.getBlock()) {
    auto block = static_cast<int64_t>(*matmul.getBlock());
    lhs = multiplyScales(lhs, operands[2], matmul.getTransposeLhs() ? 0 : 1,
                         block);
    rhs = multiplyScales(rhs, operands[3], matmul.getTransposeRhs() ? 1 : 0,
                         block);
  }
  HostTensor result(matmul.getType());
  MutableArrayRef<double> out = result.mutableFloats();
  ArrayRef<int64_t> shape = result.getShape();
  int64_t size = shape[shape.size() - 2] * shape.back();
  int64_t batches = size == 0 ? 0 : result.getNumElements() / size;
  for (int64_t batch = 0; batch < batches; ++batch) {
    multiply(getMatrix(lhs, batch, matmul.getTransposeLhs()),
             getMatrix(rhs, batch, matmul.getTransposeRhs()),
             out.slice(batch * size, size));
  }
  return HostTensors{result};
}

} // namespace accel
