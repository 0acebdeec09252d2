// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the composites compute that work row by row: layer norm, softmax, cross
// entropy.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace accel {
namespace {

double getMaximum(ArrayRef<double> row) {
  double highest = -std::numeric_limits<double>::infinity();
  for (double x : row) {
    highest = std::isnan(highest) || highest > x ? highest : x;
  }
  return highest;
}

double sum(ArrayRef<double> row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

int64_t getRowCount(const HostTensor &tensor) {
  return ShapedType::getNumElements(tensor.getShape().drop_back());
}

Evaluation evaluateLayerNorm(LayerNormOp op, OperandsOf<LayerNormOp> operands) {
  HostTensor operand = operands.getOperand();
  HostTensor scale = operands.getScale();
  HostTensor bias = operands.getBias();
  HostTensor result(getResultType(op, 0));
  HostTensor means(getResultType(op, 1));
  HostTensor rstds(getResultType(op, 2));
  int64_t size = operand.getShape().back();
  for (int64_t i = 0; i < getRowCount(operand); ++i) {
    ArrayRef<double> row = operand.floats().slice(i * size, size);
    double mean = sum(row) / size;
    double squares = 0.0;
    for (double x : row) {
      squares += (x - mean) * (x - mean);
    }
    double rstd =
        1.0 / std::sqrt(squares / size + op.getEpsilon().convertToDouble());
    means.mutableFloats()[i] = mean;
    rstds.mutableFloats()[i] = rstd;
    for (int64_t j = 0; j < size; ++j) {
      result.mutableFloats()[i * size + j] =
          (row[j] - mean) * rstd * scale.floats()[j] +
          (bias ? bias.floats()[j] : 0.0);
    }
  }
  return HostTensors{result, means, rstds};
}

Evaluation evaluateSoftmax(SoftmaxOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  int64_t size = operand.getShape().back();
  for (int64_t i = 0; i < getRowCount(operand); ++i) {
    ArrayRef<double> row = operand.floats().slice(i * size, size);
    MutableArrayRef<double> out = result.mutableFloats().slice(i * size, size);
    double highest = getMaximum(row);
    llvm::transform(row, out.begin(),
                    [&](double x) { return std::exp(x - highest); });
    double total = sum(out);
    for (double &x : out) {
      x /= total;
    }
  }
  return HostTensors{result};
}

Evaluation evaluateCrossEntropy(SoftmaxCrossEntropyOp op,
                                OperandsOf<SoftmaxCrossEntropyOp> operands) {
  HostTensor logits = operands.getLogits();
  HostTensor labels = operands.getLabels();
  HostTensor losses(getResultType(op, 0));
  HostTensor lses(getResultType(op, 1));
  int64_t classes = logits.getShape()[1];
  for (auto [i, label] : llvm::enumerate(labels.integers())) {
    ArrayRef<double> row = logits.floats().slice(i * classes, classes);
    double lse = getLogSumExp(row);
    lses.mutableFloats()[i] = lse;
    losses.mutableFloats()[i] =
        label >= 0 && label < classes ? lse - row[label] : 0.0;
  }
  return HostTensors{losses, lses};
}

} // namespace

double getLogSumExp(ArrayRef<double> row) {
  double highest = getMaximum(row);
  if (std::isinf(highest)) {
    return highest;
  }
  double total = 0.0;
  for (double x : row) {
    total += std::exp(x - highest);
  }
  return highest + std::log(total);
}

Evaluation evaluateNormalization(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](LayerNormOp norm) {
        return evaluateLayerNorm(norm, {operands, norm});
      })
      .Case([&](SoftmaxOp softmax) {
        return evaluateSoftmax(softmax, operands[0]);
      })
      .Case([&](SoftmaxCrossEntropyOp loss) {
        return evaluateCrossEntropy(loss, {operands, loss});
      })
      .Default(Evaluation());
}

} // namespace accel
