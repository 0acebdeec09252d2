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

/// What each channel has over its elements of weight 1.
struct ChannelSums {
  double count = 0.0, sum = 0.0, squares = 0.0;
};

/// Calls `function(element, channel, weight)` for every element.
template <typename Function>
void forEachWeighed(BatchNormOp op, const HostTensor &weights,
                    Function function) {
  ArrayRef<int64_t> shape = op.getOperand().getType().getShape();
  auto inner = [&](int64_t dimension) {
    return ShapedType::getNumElements(shape.drop_front(dimension + 1));
  };
  int64_t along = op.getAlong();
  for (int64_t i = 0; i < ShapedType::getNumElements(shape); ++i) {
    int64_t index = i / inner(along) % shape[along];
    function(i, i / inner(1) % shape[1],
             weights ? weights.floats()[index] : 1.0);
  }
}

Evaluation evaluateBatchNorm(BatchNormOp op, OperandsOf<BatchNormOp> operands) {
  HostTensor x = operands.getOperand(), weights = operands.getWeights();
  HostTensor result(getResultType(op, 0)), means(getResultType(op, 1)),
      variances(getResultType(op, 2));
  std::vector<ChannelSums> sums(means.getShape()[0]);
  forEachWeighed(op, weights, [&](int64_t i, int64_t channel, double weight) {
    sums[channel].count += weight;
    sums[channel].sum += weight * x.floats()[i];
  });
  for (auto [i, channel] : llvm::enumerate(sums)) {
    means.mutableFloats()[i] = channel.sum / std::max(channel.count, 1.0);
  }
  forEachWeighed(op, weights, [&](int64_t i, int64_t channel, double weight) {
    double difference = x.floats()[i] - means.floats()[channel];
    sums[channel].squares += weight * difference * difference;
  });
  for (auto [i, channel] : llvm::enumerate(sums)) {
    variances.mutableFloats()[i] =
        channel.squares / std::max(channel.count, 1.0);
  }
  forEachWeighed(op, weights, [&](int64_t i, int64_t channel, double) {
    double deviation = std::sqrt(variances.floats()[channel] +
                                 op.getEpsilon().convertToDouble());
    double rstd = sums[channel].count < 2.0 ? 0.0 : 1.0 / deviation;
    result.mutableFloats()[i] = (x.floats()[i] - means.floats()[channel]) *
                                    rstd *
                                    operands.getScale().floats()[channel] +
                                operands.getBias().floats()[channel];
  });
  return HostTensors{result, means, variances};
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
      .Case([&](BatchNormOp norm) {
        return evaluateBatchNorm(norm, {operands, norm});
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
