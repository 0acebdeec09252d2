// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What attention and its gradient compute: row by row from the definition, with
// no matrix in between.
#include "dialects/Accel/IR/AttentionTile.h"
#include "dialects/Accel/Interpreter/OpFamilies.h"
#include "dialects/Accel/Interpreter/Philox.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// The part that attention and its gradient have in common: sizes, scores and
/// dropout of one row of queries.
class Scores {
public:
  template <typename Op>
  Scores(Op op, OperandsOf<Op> operands)
      : query(operands.getQuery()), key(operands.getKey()),
        mask(operands.getMask()), bias(operands.getBias()),
        samples(operands.getSamples()), scale(op.getScale().convertToDouble()),
        softcap(op.getSoftcap().convertToDouble()),
        probability(op.getProbability().convertToDouble()), site(op.getSite()),
        causal(op.getCausal()) {
    if (HostTensor seedTensor = operands.getSeed()) {
      seed = seedTensor.integers()[0];
    }
    if (HostTensor offset = operands.getSiteOffset()) {
      site += offset.integers()[0];
    }
    batches = query.getShape()[0];
    heads = query.getShape()[1];
    rows = query.getShape()[2];
    depth = query.getShape()[3];
    keyHeads = key.getShape()[1];
    columns = key.getShape()[2];
  }

  /// The scores of row `i` of head `h` of sample `b`; -inf where a column is
  /// not allowed.
  llvm::SmallVector<double> getRow(int64_t b, int64_t h, int64_t i) const {
    llvm::SmallVector<double> scores(columns, kMinusInfinity);
    for (int64_t j = 0; j < columns; ++j) {
      if (causal && j > i + (columns - rows)) {
        continue;
      }
      double score = getScaled(b, h, i, j);
      score = softcap == 0.0 ? score : softcap * std::tanh(score / softcap);
      scores[j] = addMask(bias, addMask(mask, score, b, h, i, j), b, h, i, j);
    }
    return scores;
  }

  /// The derivative of a score by the product of its query and key.
  double getSlope(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (softcap == 0.0) {
      return scale;
    }
    double bounded = std::tanh(getScaled(b, h, i, j) / softcap);
    return scale * (1.0 - bounded * bounded);
  }

  /// What dropout multiplies the row's probabilities by: 0 or 1 / (1 -
  /// probability).
  llvm::SmallVector<double> getDropout(int64_t b, int64_t h, int64_t i) const {
    llvm::SmallVector<double> factors(columns, 1.0);
    if (probability == 0.0) {
      return factors;
    }
    int64_t tiles = llvm::divideCeil(columns, kAttentionTile);
    for (int64_t j = 0; j < columns; ++j) {
      int64_t tile = (h * rows + i) * tiles + j / kAttentionTile;
      int64_t column = j % kAttentionTile;
      auto block = static_cast<uint64_t>(tile * kAttentionTileBlocks +
                                         column % kAttentionTileBlocks);
      uint32_t word = getPhiloxBlock(seed, site, samples.integers()[b],
                                     block)[column / kAttentionTileBlocks];
      factors[j] = word >= getDropoutThreshold(probability)
                       ? 1.0 / (1.0 - probability)
                       : 0.0;
    }
    return factors;
  }

  ArrayRef<double> queryAt(int64_t b, int64_t h, int64_t i) const {
    return query.floats().slice(((b * heads + h) * rows + i) * depth, depth);
  }
  ArrayRef<double> keyAt(int64_t b, int64_t h, int64_t j) const {
    return key.floats().slice(keyRow(b, h, j) * depth, depth);
  }
  /// Which row of keys and values that head `h` reads is number `j`.
  int64_t keyRow(int64_t b, int64_t h, int64_t j) const {
    int64_t keyHead = h / (heads / keyHeads);
    return (b * keyHeads + keyHead) * columns + j;
  }

  /// Calls `function(b, h, i, position)` for every row; `position` counts them.
  template <typename Function> void forEachRow(Function function) const {
    for (int64_t position = 0; position < batches * heads * rows; ++position) {
      function(position / (heads * rows), position / rows % heads,
               position % rows, position);
    }
  }

  int64_t batches, heads, keyHeads, rows, columns, depth;
  HostTensor query, key, mask, bias, samples;
  int64_t seed = 0;
  double scale, softcap, probability;
  int64_t site;
  bool causal;

private:
  double getScaled(int64_t b, int64_t h, int64_t i, int64_t j) const {
    double product = 0.0;
    for (int64_t d = 0; d < depth; ++d) {
      product += queryAt(b, h, i)[d] * keyAt(b, h, j)[d];
    }
    return product * scale;
  }

  static double addMask(const HostTensor &mask, double score, int64_t b,
                        int64_t h, int64_t i, int64_t j) {
    if (!mask) {
      return score;
    }
    ArrayRef<int64_t> shape = mask.getShape();
    auto clamp = [&](int64_t index, unsigned dimension) {
      return shape[dimension] == 1 ? 0 : index;
    };
    int64_t position =
        ((clamp(b, 0) * shape[1] + clamp(h, 1)) * shape[2] + clamp(i, 2)) *
            shape[3] +
        clamp(j, 3);
    if (mask.isFloat()) {
      return score + mask.floats()[position];
    }
    return mask.integers()[position] ? score : kMinusInfinity;
  }
};

double getProbability(double score, double lse) {
  return lse == kMinusInfinity ? 0.0 : std::exp(score - lse);
}

Evaluation evaluateForward(AttentionOp op, OperandsOf<AttentionOp> operands) {
  Scores scores(op, operands);
  HostTensor value = operands.getValue();
  HostTensor result(getResultType(op, 0));
  HostTensor lses(getResultType(op, 1));
  int64_t width = value.getShape()[3];
  scores.forEachRow([&](int64_t b, int64_t h, int64_t i, int64_t position) {
    llvm::SmallVector<double> row = scores.getRow(b, h, i);
    llvm::SmallVector<double> dropout = scores.getDropout(b, h, i);
    double lse = getLogSumExp(row);
    lses.mutableFloats()[position] = lse;
    MutableArrayRef<double> out =
        result.mutableFloats().slice(position * width, width);
    for (int64_t j = 0; j < scores.columns; ++j) {
      double weight = getProbability(row[j], lse) * dropout[j];
      int64_t valueRow = scores.keyRow(b, h, j);
      for (int64_t e = 0; e < width; ++e) {
        out[e] += weight * value.floats()[valueRow * width + e];
      }
    }
  });
  return HostTensors{result, lses};
}

/// With P the probabilities, D the dropout factors and dA = dY value^T: dvalue
/// = (P D)^T dY; the scores' gradient is P (D dA - delta) where delta, the sum
/// of P D dA over a row, is also that of result dY. It is that of the bias,
/// too, once it is summed over the samples.
class GradientRows {
public:
  GradientRows(AttentionGradOp op, OperandsOf<AttentionGradOp> operands)
      : scores(op, operands), value(operands.getValue()),
        output(operands.getResult()),
        outputGradient(operands.getResultGradient()), lses(operands.getLse()),
        queryGradient(getResultType(op, 0)), keyGradient(getResultType(op, 1)),
        valueGradient(getResultType(op, 2)), width(value.getShape()[3]) {
    if (op.getBiasGradient()) {
      biasGradient = HostTensor(getResultType(op, 3));
    }
  }

  HostTensors run() {
    scores.forEachRow([&](int64_t b, int64_t h, int64_t i, int64_t position) {
      addRow(b, h, i, position);
    });
    HostTensors all{queryGradient, keyGradient, valueGradient};
    if (biasGradient) {
      all.push_back(biasGradient);
    }
    return all;
  }

private:
  void addRow(int64_t b, int64_t h, int64_t i, int64_t position) {
    llvm::SmallVector<double> row = scores.getRow(b, h, i);
    llvm::SmallVector<double> dropout = scores.getDropout(b, h, i);
    ArrayRef<double> gradient =
        outputGradient.floats().slice(position * width, width);
    double delta = 0.0;
    for (int64_t e = 0; e < width; ++e) {
      delta += gradient[e] * output.floats()[position * width + e];
    }
    for (int64_t j = 0; j < scores.columns; ++j) {
      int64_t keyRow = scores.keyRow(b, h, j);
      double probability = getProbability(row[j], lses.floats()[position]);
      double product = 0.0;
      for (int64_t e = 0; e < width; ++e) {
        product += gradient[e] * value.floats()[keyRow * width + e];
        valueGradient.mutableFloats()[keyRow * width + e] +=
            probability * dropout[j] * gradient[e];
      }
      double scoreGradient = probability * (dropout[j] * product - delta);
      if (biasGradient) {
        int64_t row = h * scores.rows + i;
        biasGradient.mutableFloats()[row * scores.columns + j] += scoreGradient;
      }
      scoreGradient *= scores.getSlope(b, h, i, j);
      for (int64_t d = 0; d < scores.depth; ++d) {
        queryGradient.mutableFloats()[position * scores.depth + d] +=
            scoreGradient * scores.keyAt(b, h, j)[d];
        keyGradient.mutableFloats()[keyRow * scores.depth + d] +=
            scoreGradient * scores.queryAt(b, h, i)[d];
      }
    }
  }

  Scores scores;
  HostTensor value, output, outputGradient, lses;
  HostTensor queryGradient, keyGradient, valueGradient;
  HostTensor biasGradient; ///< none: nobody asks for it
  int64_t width;
};

} // namespace

Evaluation evaluateAttention(Operation *op, ArrayRef<HostTensor> operands) {
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    return evaluateForward(attention, {operands, attention});
  }
  if (auto gradient = dyn_cast<AttentionGradOp>(op)) {
    return GradientRows(gradient, {operands, gradient}).run();
  }
  return Evaluation();
}

} // namespace accel
