// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations between numbers and 8-bit codes compute.
#include "dialects/Accel/IR/DynamicCode.h"
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {

static Evaluation quantize(QuantizeOp op, const HostTensor &operand) {
  const DynamicCode &code = DynamicCode::get(op.getCode());
  HostTensor result(getResultType(op));
  llvm::transform(operand.floats(), result.mutableIntegers().begin(),
                  [&](double number) { return code.encode(number); });
  return HostTensors{result};
}

static Evaluation dequantize(DequantizeOp op, const HostTensor &operand) {
  const DynamicCode &code = DynamicCode::get(op.getCode());
  HostTensor result(getResultType(op));
  llvm::transform(
      operand.integers(), result.mutableFloats().begin(),
      [&](int64_t byte) { return code.decode(static_cast<uint8_t>(byte)); });
  return HostTensors{result};
}

Evaluation evaluateQuantization(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](QuantizeOp each) { return quantize(each, operands[0]); })
      .Case([&](DequantizeOp each) { return dequantize(each, operands[0]); })
      .Default(Evaluation());
}

} // namespace accel
