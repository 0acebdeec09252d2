// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rule per kind of operation.
#include "passes/Differentiate/SampleAxis.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>
#include <numeric>

using namespace mlir;

namespace accel {
namespace {

using Axis = std::optional<SampleAxis>;

/// The elements of all dimensions behind `dimension`.
int64_t countBehind(ArrayRef<int64_t> shape, int64_t dimension) {
  ArrayRef<int64_t> behind = shape.drop_front(dimension + 1);
  return std::accumulate(behind.begin(), behind.end(), int64_t(1),
                         std::multiplies<>());
}

/// Leading dimensions of a product count products, those of rows and columns
/// stay; the summed one mixes. From the operand to the result, or back.
Axis mapThrough(MatmulOp op, OpOperand &operand, SampleAxis axis,
                bool isForward) {
  int64_t rank = shapeOf(operand.get()).size();
  if (operand.getOperandNumber() > 1) {
    return std::nullopt;
  }
  if (axis.dimension < rank - 2) {
    return axis;
  }
  bool isLeft = operand.getOperandNumber() == 0;
  bool isTransposed = isLeft ? op.getTransposeLhs() : op.getTransposeRhs();
  int64_t own = isLeft != isTransposed ? rank - 2 : rank - 1;
  int64_t results = isLeft ? rank - 2 : rank - 1;
  if (axis.dimension != (isForward ? own : results)) {
    return std::nullopt;
  }
  return SampleAxis{isForward ? results : own, axis.inner};
}

/// What carries one axis from one operand to one result.
class AxisRule {
public:
  AxisRule(OpOperand &operand, SampleAxis axis, Value result, int64_t batch)
      : operand(operand), axis(axis), result(result), batch(batch) {}

  Axis carry() const {
    return llvm::TypeSwitch<Operation *, Axis>(operand.getOwner())
        .Case<TransposeOp, BroadcastOp, SliceOp, PadOp, WindowsOp, SumWindowsOp,
              SplitOp, ConcatOp, CumsumOp, MatmulOp, GroupedMatmulOp, GatherOp,
              AttentionOp, LayerNormOp, BatchNormOp>(
            [&](auto op) { return of(op); })
        .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>(
            [&](auto op) { return ofReduction(op.getAxes()); })
        .Case([&](SoftmaxOp op) { return unless(isLast()); })
        // Rows are what there is to lose.
        .Case([&](SoftmaxCrossEntropyOp op) {
          return unless(axis.dimension != 0);
        })
        .Default([](Operation *) { return std::nullopt; });
  }

private:
  Axis at(int64_t dimension) const { return SampleAxis{dimension, axis.inner}; }
  Axis unless(bool mixes) const { return mixes ? std::nullopt : Axis(axis); }
  int64_t getRank() const { return shapeOf(operand.get()).size(); }
  bool isAlong(int64_t dimension) const { return axis.dimension == dimension; }
  bool isLast() const { return isAlong(getRank() - 1); }

  /// Whether `size` indices of the axis are as many of every sample: then what
  /// lies behind them begins with sample 0 again.
  bool isWholeRound(int64_t size) const {
    return size % (batch * axis.inner) == 0;
  }

  Axis of(TransposeOp op) const {
    const int64_t *found = llvm::find(op.getPermutation(), axis.dimension);
    return at(found - op.getPermutation().begin());
  }

  Axis of(BroadcastOp op) const {
    return at(op.getDimensions()[axis.dimension]);
  }

  /// Parts begin at `offset` and leave nothing out.
  Axis ofPart(int64_t offset, int64_t stride) const {
    return unless(stride != 1 || !isWholeRound(offset) ||
                  !isWholeRound(shapeOf(result)[axis.dimension]));
  }
  Axis of(SliceOp op) const {
    return ofPart(op.getOffsets()[axis.dimension],
                  op.getStrides()[axis.dimension]);
  }
  Axis of(PadOp op) const {
    return ofPart(op.getLow()[axis.dimension], op.getStrides()[axis.dimension]);
  }

  /// The elements of a window lie behind all dimensions that stay.
  Axis of(WindowsOp op) const {
    return unless(llvm::is_contained(op.getAxes(), axis.dimension));
  }
  Axis of(SumWindowsOp op) const {
    bool isInWindow = axis.dimension >= std::ssize(shapeOf(result));
    return unless(isInWindow ||
                  llvm::is_contained(op.getAxes(), axis.dimension));
  }

  Axis of(SplitOp op) const {
    return unless(isAlong(op.getAxis()) && !areWholeRounds(op.getResults()));
  }
  Axis of(ConcatOp op) const {
    return unless(isAlong(op.getAxis()) && !areWholeRounds(op.getOperands()));
  }
  bool areWholeRounds(ValueRange parts) const {
    return llvm::all_of(parts, [&](Value part) {
      return isWholeRound(shapeOf(part)[axis.dimension]);
    });
  }

  Axis of(CumsumOp op) const { return unless(isAlong(op.getAxis())); }

  Axis ofReduction(ArrayRef<int64_t> axes) const {
    if (llvm::is_contained(axes, axis.dimension)) {
      return std::nullopt;
    }
    return at(axis.dimension - llvm::count_if(axes, [&](int64_t reduced) {
                return reduced < axis.dimension;
              }));
  }

  Axis of(MatmulOp op) const {
    return mapThrough(op, operand, axis, /*isForward=*/true);
  }

  Axis of(GroupedMatmulOp) const {
    return unless(operand.getOperandNumber() == 1 || !isAlong(0));
  }

  Axis of(GatherOp op) const {
    if (operand.getOperandNumber() == 1) {
      return axis;
    }
    int64_t indices = shapeOf(op.getIndices()).size();
    return axis.dimension == 0 ? std::nullopt
                               : at(indices + axis.dimension - 1);
  }

  /// Samples may be counted by the batch, by heads and by the rows of queries.
  Axis of(AttentionOp op) const {
    Value value = operand.get();
    if (operand.getOperandNumber() == 0 || value == op.getMask() ||
        value == op.getBias()) {
      return unless(axis.dimension > 2);
    }
    if (value == op.getSamples()) {
      return axis;
    }
    if (operand.getOperandNumber() > 2 || axis.dimension > 1) {
      return std::nullopt;
    }
    int64_t queriesPerKey = shapeOf(op.getQuery())[1] / shapeOf(op.getKey())[1];
    return SampleAxis{axis.dimension, axis.dimension == 1
                                          ? axis.inner * queriesPerKey
                                          : axis.inner};
  }

  Axis of(LayerNormOp op) const {
    return unless(operand.getOperandNumber() != 0 || isLast());
  }

  /// Samples do influence each other, by the statistics of their microbatch.
  /// But a row stays that of its sample, and padding has no influence
  /// (WeighBatchNorm): that is what is asked for here.
  Axis of(BatchNormOp) const {
    return unless(operand.getOperandNumber() != 0 || isAlong(1));
  }

  OpOperand &operand;
  SampleAxis axis;
  Value result;
  int64_t batch;
};

/// What leads from one axis of a result back to one operand.
class SourceRule {
public:
  SourceRule(OpOperand &operand, SampleAxis axis, Value result, int64_t batch)
      : operand(operand), axis(axis), result(result), batch(batch) {}

  Axis trace() const {
    if (isElementwise(operand.getOwner())) {
      return axis;
    }
    return llvm::TypeSwitch<Operation *, Axis>(operand.getOwner())
        .Case<BroadcastOp, ReshapeOp, TransposeOp, GatherOp, MatmulOp,
              AttentionOp>([&](auto op) { return of(op); })
        .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>(
            [&](auto op) { return ofReduction(op.getAxes()); })
        .Case<SliceOp, ConcatOp, CumsumOp, SoftmaxOp, SoftmaxCrossEntropyOp>(
            [&](auto) { return Axis(axis); })
        .Case([&](LayerNormOp) {
          return operand.getOperandNumber() == 0 ? Axis(axis) : std::nullopt;
        })
        .Default([](Operation *) { return std::nullopt; });
  }

private:
  Axis at(int64_t dimension) const { return SampleAxis{dimension, axis.inner}; }

  /// An element of a dimension of size 1 is that of all samples.
  Axis of(BroadcastOp op) const {
    const int64_t *found = llvm::find(op.getDimensions(), axis.dimension);
    int64_t own = found - op.getDimensions().begin();
    bool isRepeated =
        found == op.getDimensions().end() || shapeOf(operand.get())[own] == 1;
    return isRepeated ? std::nullopt : at(own);
  }

  Axis of(ReshapeOp) const {
    return findSampleAxis(shapeOf(operand.get()),
                          getBlockSize(shapeOf(result), axis), batch);
  }

  Axis of(TransposeOp op) const {
    return at(op.getPermutation()[axis.dimension]);
  }

  Axis of(GatherOp op) const {
    int64_t indices = shapeOf(op.getIndices()).size();
    if (operand.getOperandNumber() == 1) {
      return axis.dimension < indices ? Axis(axis) : std::nullopt;
    }
    return axis.dimension < indices ? std::nullopt
                                    : at(axis.dimension - indices + 1);
  }

  Axis of(MatmulOp op) const {
    return mapThrough(op, operand, axis, /*isForward=*/false);
  }

  /// Masks and biases of (batch, heads, rows, columns) may be those of all.
  Axis of(AttentionOp op) const {
    Value value = operand.get();
    bool isMask = value == op.getMask() || value == op.getBias();
    return isMask && axis.dimension < 3 && shapeOf(value)[axis.dimension] > 1
               ? Axis(axis)
               : std::nullopt;
  }

  Axis ofReduction(ArrayRef<int64_t> axes) const {
    int64_t dimension = axis.dimension;
    for (int64_t reduced : axes) {
      dimension += reduced <= dimension ? 1 : 0;
    }
    return at(dimension);
  }

  OpOperand &operand;
  SampleAxis axis;
  Value result;
  int64_t batch;
};

} // namespace

Axis findSampleAxis(ArrayRef<int64_t> shape, int64_t blockSize, int64_t batch) {
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    int64_t behind = countBehind(shape, dimension);
    if (blockSize % behind == 0 && (behind * size) % (blockSize * batch) == 0) {
      return SampleAxis{static_cast<int64_t>(dimension), blockSize / behind};
    }
  }
  return std::nullopt;
}

int64_t getBlockSize(ArrayRef<int64_t> shape, SampleAxis axis) {
  return axis.inner * countBehind(shape, axis.dimension);
}

Axis carrySampleAxis(OpOperand &operand, SampleAxis axis, Value result,
                     int64_t batch) {
  return AxisRule(operand, axis, result, batch).carry();
}

Axis traceSampleAxis(OpOperand &operand, SampleAxis axis, Value result,
                     int64_t batch) {
  return SourceRule(operand, axis, result, batch).trace();
}

bool isElementwise(Operation *op) {
  auto fusion = dyn_cast<FusionOpInterface>(op);
  return fusion && fusion.getFusionKind() == FusionKind::Elementwise;
}

} // namespace accel
