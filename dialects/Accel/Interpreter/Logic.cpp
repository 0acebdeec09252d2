// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comparisons, boolean operations, selections and casts compute.
#include "dialects/Accel/IR/SmallFloat.h"
#include "dialects/Accel/Interpreter/Comparison.h"
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

template <typename Function>
Evaluation combine(Operation *op, ArrayRef<HostTensor> operands,
                   Function function) {
  HostTensor result(getResultType(op));
  MutableArrayRef<int64_t> out = result.mutableIntegers();
  for (auto [element, lhs, rhs] :
       llvm::zip_equal(out, operands[0].integers(), operands[1].integers())) {
    element = function(lhs, rhs);
  }
  return HostTensors{result};
}

Evaluation negate(Operation *op, const HostTensor &operand) {
  HostTensor result(getResultType(op));
  llvm::transform(operand.integers(), result.mutableIntegers().begin(),
                  [](int64_t x) { return x == 0; });
  return HostTensors{result};
}

Evaluation findNans(Operation *op, const HostTensor &operand) {
  HostTensor result(getResultType(op));
  llvm::transform(operand.floats(), result.mutableIntegers().begin(),
                  [](double x) { return std::isnan(x); });
  return HostTensors{result};
}

Evaluation compare(CompareOp op, ArrayRef<HostTensor> operands) {
  HostTensor result(getResultType(op));
  MutableArrayRef<int64_t> out = result.mutableIntegers();
  auto fill = [&](auto lhs, auto rhs) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = holds(op.getPredicate(), lhs[i], rhs[i]);
    }
  };
  if (operands[0].isFloat()) {
    fill(operands[0].floats(), operands[1].floats());
  } else {
    fill(operands[0].integers(), operands[1].integers());
  }
  return HostTensors{result};
}

Evaluation select(SelectOp op, OperandsOf<SelectOp> operands) {
  HostTensor result(getResultType(op));
  HostTensor condition = operands.getCondition();
  auto fill = [&](auto out, auto onTrue, auto onFalse) {
    for (auto [i, chosen] : llvm::enumerate(condition.integers())) {
      out[i] = chosen ? onTrue[i] : onFalse[i];
    }
  };
  HostTensor onTrue = operands.getOnTrue();
  HostTensor onFalse = operands.getOnFalse();
  if (result.isFloat()) {
    fill(result.mutableFloats(), onTrue.floats(), onFalse.floats());
  } else {
    fill(result.mutableIntegers(), onTrue.integers(), onFalse.integers());
  }
  return HostTensors{result};
}

/// Towards zero; what does not fit becomes the nearest number that does, NaN
/// becomes 0.
int64_t truncate(double value, Type type) {
  bool narrow = type.isInteger(32);
  int64_t lowest = narrow ? std::numeric_limits<int32_t>::min()
                          : std::numeric_limits<int64_t>::min();
  int64_t highest = narrow ? std::numeric_limits<int32_t>::max()
                           : std::numeric_limits<int64_t>::max();
  if (std::isnan(value)) {
    return 0;
  }
  if (value <= static_cast<double>(lowest)) {
    return lowest;
  }
  // 2^63 is a double and 2^63 - 1 is not.
  return value >= static_cast<double>(highest) ? highest
                                               : static_cast<int64_t>(value);
}

/// To 16 or 8 bits by way of f32. In contrast to other results these are
/// rounded always: that is what the operation is for.
void castToSmallFloats(CastOp op, const HostTensor &operand,
                       const SmallFloat &format, MutableArrayRef<double> out) {
  bool saturates = op.getSaturate() || format.alwaysSaturates();
  operand.visit([&](auto elements) {
    llvm::transform(elements, out.begin(), [&](auto element) {
      return format.round(static_cast<float>(element), saturates);
    });
  });
}

Evaluation castElements(CastOp op, const HostTensor &operand) {
  HostTensor result(getResultType(op));
  Type type = result.getElementType();
  if (const SmallFloat *format = SmallFloat::get(type)) {
    castToSmallFloats(op, operand, *format, result.mutableFloats());
  } else if (result.isFloat()) {
    operand.visit([out = result.mutableFloats()](auto elements) {
      llvm::transform(elements, out.begin(), [](auto element) {
        return static_cast<double>(element);
      });
    });
  } else if (type.isInteger(1)) {
    operand.visit([out = result.mutableIntegers()](auto elements) {
      llvm::transform(elements, out.begin(),
                      [](auto element) { return element != 0; });
    });
  } else if (operand.isFloat()) {
    llvm::transform(operand.floats(), result.mutableIntegers().begin(),
                    [&](double x) { return truncate(x, type); });
  } else {
    llvm::transform(operand.integers(), result.mutableIntegers().begin(),
                    [&](int64_t x) { return wrapToElementType(x, type); });
  }
  return HostTensors{result};
}

} // namespace

Evaluation evaluateLogic(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](AndOp) {
        return combine(op, operands,
                       [](int64_t lhs, int64_t rhs) { return lhs & rhs; });
      })
      .Case([&](OrOp) {
        return combine(op, operands,
                       [](int64_t lhs, int64_t rhs) { return lhs | rhs; });
      })
      .Case([&](NotOp) { return negate(op, operands[0]); })
      .Case([&](IsNanOp) { return findNans(op, operands[0]); })
      .Case([&](CompareOp comparison) { return compare(comparison, operands); })
      .Case([&](SelectOp selection) {
        return select(selection, {operands, selection});
      })
      .Case([&](CastOp cast) { return castElements(cast, operands[0]); })
      .Default(Evaluation());
}

} // namespace accel
