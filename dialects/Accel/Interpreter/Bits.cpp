// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations on the bits of numbers compute.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace accel {
namespace {

/// Of integers with `width` bits; what is above them is wrapped away.
int64_t combine(BitFunction function, int64_t lhs, int64_t rhs, int64_t width) {
  bool isShifted = 0 <= rhs && rhs < width;
  switch (function) {
  case BitFunction::And:
    return lhs & rhs;
  case BitFunction::Or:
    return lhs | rhs;
  case BitFunction::Xor:
    return lhs ^ rhs;
  case BitFunction::ShiftLeft:
    return isShifted ? static_cast<int64_t>(static_cast<uint64_t>(lhs) << rhs)
                     : 0;
  case BitFunction::ShiftRight:
    return lhs >> (isShifted ? rhs : width - 1);
  }
  llvm_unreachable("a function of the dialect");
}

Evaluation combineBits(BitwiseOp op, ArrayRef<HostTensor> operands) {
  HostTensor result(getResultType(op));
  Type type = result.getElementType();
  for (auto [element, lhs, rhs] :
       llvm::zip_equal(result.mutableIntegers(), operands[0].integers(),
                       operands[1].integers())) {
    element = wrapToElementType(
        combine(op.getFunction(), lhs, rhs, type.getIntOrFloatBitWidth()),
        type);
  }
  return HostTensors{result};
}

/// Floats and integers as wide as `Float` and `Integer`.
template <typename Float, typename Integer>
void castBits(const HostTensor &operand, HostTensor &result) {
  if (operand.isFloat()) {
    llvm::transform(operand.floats(), result.mutableIntegers().begin(),
                    [](double x) {
                      return llvm::bit_cast<Integer>(static_cast<Float>(x));
                    });
  } else {
    llvm::transform(operand.integers(), result.mutableFloats().begin(),
                    [](int64_t x) {
                      return llvm::bit_cast<Float>(static_cast<Integer>(x));
                    });
  }
}

Evaluation castElementBits(BitcastOp op, const HostTensor &operand) {
  HostTensor result(getResultType(op));
  if (operand.isFloat() == result.isFloat()) {
    return HostTensors{operand.withType(result.getType())};
  }
  if (result.getElementType().getIntOrFloatBitWidth() == 32) {
    castBits<float, int32_t>(operand, result);
  } else {
    castBits<double, int64_t>(operand, result);
  }
  return HostTensors{result};
}

} // namespace

Evaluation evaluateBits(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](BitwiseOp each) { return combineBits(each, operands); })
      .Case([&](BitcastOp each) { return castElementBits(each, operands[0]); })
      .Default(Evaluation());
}

} // namespace accel
