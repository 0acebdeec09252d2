// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of integers, from the sources up.
#include "frontends/onnx/Builders/IndexBounds.h"

#include "dialects/Accel/Interpreter/InputRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Both ends included.
struct Interval {
  int64_t first, last;
};
using Bounds = std::optional<Interval>;

/// An index is computed in a few steps: what takes more is not looked at.
constexpr int kDepth = 48, kMostSteps = 10'000;

/// Sums and products are of smaller numbers, so that they do not overflow; the
/// second is larger than all of them.
constexpr int64_t kLargest = int64_t(1) << 30, kUnbounded = int64_t(1) << 62;

/// Known values of more elements are not evaluated for this.
constexpr int64_t kMostElements = 1 << 16;

bool isSmall(const Bounds &bounds) {
  return bounds && bounds->first >= -kLargest && bounds->last <= kLargest;
}

bool isInteger(Value value) {
  return isa<IntegerType>(NodeConversion::typeOf(value).getElementType());
}

Interval unite(Interval a, Interval b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

class BoundsFinder {
public:
  explicit BoundsFinder(const NodeConversion &c) : c(c) {}

  Bounds find(Value value, int depth = kDepth) {
    RankedTensorType type = NodeConversion::typeOf(value);
    if (type.getElementType().isInteger(1)) {
      return Interval{0, 1};
    }
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0 || !isInteger(value) || ++steps > kMostSteps) {
      return std::nullopt;
    }
    if (c.state.known.isKnown(value) &&
        type.getNumElements() <= kMostElements) {
      return ofTensor(c.state.known.evaluate(value));
    }
    return ofOperation(op, depth - 1);
  }

  /// `offset`: what is added to `value` afterwards.
  bool areInside(Value value, int64_t size, Interval offset,
                 int depth = kDepth) {
    if (Bounds own = find(value); isSmall(own)) {
      return own->first + offset.first >= 0 && own->last + offset.last < size;
    }
    if (depth == 0 || !isInteger(value) || ++steps > kMostSteps) {
      return false;
    }
    Operation *op = value.getDefiningOp();
    if (!op) {
      return true; // Data are checked.
    }
    if (auto sum = dyn_cast<AddOp>(op)) {
      for (auto [moved, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                                  std::pair(sum.getRhs(), sum.getLhs())}) {
        // Larger ones may stay computed, where data are not followed.
        bool isConstant =
            c.state.known.isKnown(added) &&
            NodeConversion::typeOf(added).getNumElements() <= kMostElements;
        Bounds by = isConstant ? find(added) : std::nullopt;
        if (isSmall(by)) {
          Interval whole{offset.first + by->first, offset.last + by->last};
          return areInside(moved, size, whole, depth - 1);
        }
      }
      return false;
    }
    return movesElements(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return areInside(operand, size, offset, depth - 1);
           });
  }

private:
  Bounds ofAll(ValueRange values, int depth) {
    Bounds all;
    for (Value value : values) {
      Bounds each = find(value, depth);
      if (!each) {
        return std::nullopt;
      }
      all = all ? unite(*all, *each) : *each;
    }
    return all;
  }

  /// Of both operands, if they are bounded.
  Bounds combine(Operation *op, int depth,
                 llvm::function_ref<Interval(Interval, Interval)> with) {
    Bounds lhs = find(op->getOperand(0), depth),
           rhs = find(op->getOperand(1), depth);
    return isSmall(lhs) && isSmall(rhs) ? Bounds(with(*lhs, *rhs))
                                        : std::nullopt;
  }

  static Bounds ofTensor(const HostTensor &tensor) {
    if (!tensor || tensor.getNumElements() == 0) {
      return std::nullopt;
    }
    auto [least, most] =
        std::minmax_element(tensor.integers().begin(), tensor.integers().end());
    return Interval{*least, *most};
  }

  static Interval multiply(Interval a, Interval b) {
    int64_t ends[] = {a.first * b.first, a.first * b.last, a.last * b.first,
                      a.last * b.last};
    return {*llvm::min_element(ends), *llvm::max_element(ends)};
  }

  /// Of the smaller or larger of two one bound may be enough, on its side.
  Bounds ofExtreme(Operation *op, int depth, bool isLarger) {
    constexpr Interval all{-kUnbounded, kUnbounded};
    Bounds lhs = find(op->getOperand(0), depth),
           rhs = find(op->getOperand(1), depth);
    if (!lhs && !rhs) {
      return std::nullopt;
    }
    Interval a = lhs.value_or(all), b = rhs.value_or(all);
    return isLarger
               ? Interval{std::max(a.first, b.first), std::max(a.last, b.last)}
               : Interval{std::min(a.first, b.first), std::min(a.last, b.last)};
  }

  Bounds ofSum(ReduceSumOp op, int depth) {
    Bounds each = find(op.getOperand(), depth);
    int64_t results = NodeConversion::typeOf(op.getResult()).getNumElements();
    if (!isSmall(each) || results == 0) {
      return std::nullopt;
    }
    int64_t count =
        NodeConversion::typeOf(op.getOperand()).getNumElements() / results;
    return count > kLargest ? std::nullopt
                            : Bounds(multiply(*each, Interval{count, count}));
  }

  Bounds ofOperation(Operation *op, int depth) {
    if (movesElements(op)) {
      return ofAll(op->getOperands(), depth);
    }
    return llvm::TypeSwitch<Operation *, Bounds>(op)
        .Case([&](IotaOp iota) {
          ArrayRef<int64_t> shape =
              NodeConversion::typeOf(iota.getResult()).getShape();
          return Interval{0, shape[iota.getDimension()] - 1};
        })
        .Case([&](CastOp cast) {
          return find(cast.getOperand(), depth); // of integers
        })
        .Case([&](SelectOp select) {
          return ofAll({select.getOnTrue(), select.getOnFalse()}, depth);
        })
        .Case<ReduceMaxOp, ReduceMinOp>(
            [&](auto reduce) { return find(reduce.getOperand(), depth); })
        .Case([&](ReduceSumOp sum) { return ofSum(sum, depth); })
        .Case([&](MaxOp max) { return ofExtreme(max, depth, true); })
        .Case([&](MinOp min) { return ofExtreme(min, depth, false); })
        .Case([&](AddOp) {
          return combine(op, depth, [](Interval a, Interval b) {
            return Interval{a.first + b.first, a.last + b.last};
          });
        })
        .Case([&](SubOp) {
          return combine(op, depth, [](Interval a, Interval b) {
            return Interval{a.first - b.last, a.last - b.first};
          });
        })
        .Case([&](MulOp) { return combine(op, depth, multiply); })
        .Default([](Operation *) { return Bounds(); });
  }

  const NodeConversion &c;
  int steps = 0;
};

} // namespace

bool areInside(const NodeConversion &c, Value indices, int64_t size) {
  return BoundsFinder(c).areInside(indices, size, Interval{0, 0});
}

} // namespace accel::onnx
