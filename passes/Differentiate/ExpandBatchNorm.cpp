// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes primitives of batch norms, and of their statistics what a microbatch
// adds to the running ones.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/Composite/BatchNorm.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/StepNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_EXPANDBATCHNORMPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

class BatchNormExpander {
public:
  explicit BatchNormExpander(BatchNormOp norm)
      : norm(norm), builder(norm), b(builder, norm.getLoc()),
        x(norm.getOperand()), element(elementTypeOf(x)),
        others(otherAxes(shapeOf(x).size(), {1})) {}

  void expand() {
    count = buildCount(b, norm);
    Value mean = buildMean(x);
    Value centered = b.sub(x, spread(mean));
    Value variance = buildMean(b.mul(centered, centered));
    Value usedMean = choose(mean, norm.getRunningMean());
    Value usedRstd = choose(buildRstd(b, norm, variance, count),
                            buildRstd(b, norm.getRunningVariance(),
                                      norm.getEpsilon().convertToDouble()));
    Value result = buildNormalised(b, x, usedMean, usedRstd, norm.getScale(),
                                   norm.getBias());
    moveRunning(norm.getRunningMean(), mean);
    moveRunning(norm.getRunningVariance(), buildUnbiased(variance));
    norm.getResult().replaceAllUsesWith(result);
    norm.getMean().replaceAllUsesWith(mean);
    norm.getVariance().replaceAllUsesWith(variance);
    norm.erase();
  }

private:
  Value spread(Value channels) { return b.spread(channels, x, others); }
  Value repeat(Value scalar, Value like) {
    return b.repeat(scalar, cast<RankedTensorType>(like.getType()));
  }
  Value number(double value) {
    return b.constant(RankedTensorType::get({}, element), value);
  }

  /// Of each channel, over what counts; zero where nothing does.
  Value buildMean(Value value) {
    Value sum =
        sumOverRanks(b, norm, b.sum(keepCounted(b, norm, value), others));
    return b.div(sum, repeat(b.max(count, number(1.0)), sum));
  }

  /// That of what is normalised where the function trains, else the running
  /// one.
  Value choose(Value ofMicrobatch, Value running) {
    Value trains = b.create<InputOp>(
        RankedTensorType::get({}, builder.getI1Type()), kTraining);
    auto type = cast<RankedTensorType>(running.getType());
    return b.select(b.repeat(trains, type.clone(builder.getI1Type())),
                    ofMicrobatch, running);
  }

  /// n / (n - 1) times the variance of n elements.
  Value buildUnbiased(Value variance) {
    Value factor = b.div(count, b.max(b.sub(count, number(1.0)), number(1.0)));
    return b.mul(variance, repeat(factor, variance));
  }

  /// How far this microbatch moves the running statistics from where they are
  /// at the start of the step: momentum * (1 - momentum)^k, where k
  /// microbatches of the step come behind it, or k iterations of all ranks, of
  /// which each rank adds the share of its own samples. A single element has no
  /// variance, and moves nothing.
  Value buildShare() {
    double momentum = norm.getMomentum().convertToDouble();
    Value behind = b.cast(
        b.create<InputOp>(RankedTensorType::get({}, builder.getF32Type()),
                          norm.getSynchronized() ? kIterationsBehind
                                                 : kMicrobatchesBehind),
        element);
    Value kept = momentum < 1.0
                     ? b.exp(b.mul(behind, std::log1p(-momentum)))
                     : b.select(b.compare(ComparePredicate::LE, behind, 0.0),
                                number(1.0), number(0.0));
    Value way = b.mul(kept, momentum);
    if (norm.getSynchronized()) {
      way =
          b.mul(way, b.div(buildOwnCount(b, norm), b.max(count, number(1.0))));
    }
    return b.keepWhere(b.compare(ComparePredicate::GE, count, 2.0), way);
  }

  /// Shares of the microbatches of a step add up to what updating one after the
  /// other would do, so ranks may add theirs in any order.
  void moveRunning(Value running, Value statistic) {
    auto read = running.getDefiningOp<ReadOp>();
    if (!read) {
      return; // a constant
    }
    share = share ? share : buildShare();
    Value way = b.sub(statistic, running);
    AccumulateOp::create(builder, norm.getLoc(), read.getSymbol(),
                         b.mul(way, repeat(share, way)));
  }

  BatchNormOp norm;
  OpBuilder builder;
  ArithmeticBuilder b;
  Value x;
  Type element;
  SmallVector<int64_t> others; ///< all dimensions but that of channels
  Value count; ///< elements of a channel that statistics are taken of
  Value share;
};

class ExpandBatchNormPass
    : public impl::ExpandBatchNormPassBase<ExpandBatchNormPass> {
public:
  using ExpandBatchNormPassBase::ExpandBatchNormPassBase;

  void runOnOperation() override {
    SmallVector<BatchNormOp> norms;
    getOperation().walk([&](BatchNormOp norm) { norms.push_back(norm); });
    for (BatchNormOp norm : norms) {
      BatchNormExpander(norm).expand();
    }
  }
};

} // namespace
} // namespace accel
