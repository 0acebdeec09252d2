// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions and scans compute.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

/// Strides that give every index of `shape` the position of its element in the
/// row-major result without `axes`.
llvm::SmallVector<int64_t> getResultStrides(ArrayRef<int64_t> shape,
                                            ArrayRef<int64_t> axes) {
  llvm::SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t dimension = static_cast<int64_t>(shape.size()) - 1;
       dimension >= 0; --dimension) {
    if (!llvm::is_contained(axes, dimension)) {
      strides[dimension] = stride;
      stride *= shape[dimension];
    }
  }
  return strides;
}

/// Every result element begins with `initial` and takes in the operand's
/// elements one by one.
template <typename T, typename Function>
void reduce(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, ArrayRef<T> in,
            MutableArrayRef<T> out, T initial, Function function) {
  llvm::fill(out, initial);
  forEachStrided(shape, getResultStrides(shape, axes), 0,
                 [&](int64_t element, int64_t position) {
                   out[position] = function(out[position], in[element]);
                 });
}

Evaluation evaluateSum(ReduceSumOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  if (result.isFloat()) {
    reduce<double>(operand.getShape(), op.getAxes(), operand.floats(),
                   result.mutableFloats(), 0.0, std::plus<double>());
  } else {
    Type type = result.getElementType();
    reduce<int64_t>(operand.getShape(), op.getAxes(), operand.integers(),
                    result.mutableIntegers(), 0, [&](uint64_t sum, uint64_t x) {
                      return wrapToElementType(sum + x, type);
                    });
  }
  return HostTensors{result};
}

int64_t getLowest(Type type) {
  return type.isInteger(32) ? std::numeric_limits<int32_t>::min()
                            : std::numeric_limits<int64_t>::min();
}

int64_t getHighest(Type type) {
  return type.isInteger(32) ? std::numeric_limits<int32_t>::max()
                            : std::numeric_limits<int64_t>::max();
}

Evaluation evaluateMaximum(ReduceMaxOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  if (result.isFloat()) {
    reduce<double>(operand.getShape(), op.getAxes(), operand.floats(),
                   result.mutableFloats(),
                   -std::numeric_limits<double>::infinity(),
                   [](double best, double x) {
                     return std::isnan(best) || best > x ? best : x;
                   });
  } else {
    reduce<int64_t>(operand.getShape(), op.getAxes(), operand.integers(),
                    result.mutableIntegers(),
                    getLowest(result.getElementType()),
                    [](int64_t best, int64_t x) { return std::max(best, x); });
  }
  return HostTensors{result};
}

Evaluation evaluateMinimum(ReduceMinOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  if (result.isFloat()) {
    reduce<double>(operand.getShape(), op.getAxes(), operand.floats(),
                   result.mutableFloats(),
                   std::numeric_limits<double>::infinity(),
                   [](double best, double x) {
                     return std::isnan(best) || best < x ? best : x;
                   });
  } else {
    reduce<int64_t>(operand.getShape(), op.getAxes(), operand.integers(),
                    result.mutableIntegers(),
                    getHighest(result.getElementType()),
                    [](int64_t best, int64_t x) { return std::min(best, x); });
  }
  return HostTensors{result};
}

/// One scan per line along the axis, whose elements lie `stride` apart.
template <typename T, typename Function>
void scan(CumsumOp op, ArrayRef<T> in, MutableArrayRef<T> out, Function add) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t size = shape[op.getAxis()];
  int64_t stride = getRowMajorStrides(shape)[op.getAxis()];
  for (int64_t line = 0; line < static_cast<int64_t>(in.size()); ++line) {
    if (line / stride % size != 0) {
      continue;
    }
    T sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      int64_t position = line + (op.getReverse() ? size - 1 - i : i) * stride;
      T including = add(sum, in[position]);
      out[position] = op.getExclusive() ? sum : including;
      sum = including;
    }
  }
}

Evaluation evaluateCumsum(CumsumOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  if (result.isFloat()) {
    scan<double>(op, operand.floats(), result.mutableFloats(),
                 std::plus<double>());
  } else {
    Type type = result.getElementType();
    scan<int64_t>(op, operand.integers(), result.mutableIntegers(),
                  [&](uint64_t sum, uint64_t x) {
                    return wrapToElementType(sum + x, type);
                  });
  }
  return HostTensors{result};
}

} // namespace

Evaluation evaluateReduction(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](ReduceSumOp sum) { return evaluateSum(sum, operands[0]); })
      .Case([&](ReduceMaxOp maximum) {
        return evaluateMaximum(maximum, operands[0]);
      })
      .Case([&](ReduceMinOp minimum) {
        return evaluateMinimum(minimum, operands[0]);
      })
      .Case(
          [&](CumsumOp cumsum) { return evaluateCumsum(cumsum, operands[0]); })
      .Default(Evaluation());
}

} // namespace accel
