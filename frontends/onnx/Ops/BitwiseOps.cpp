// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators on the bits of numbers.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The function of both inputs, broadcast to one shape.
LogicalResult combineBits(NodeConversion &c, BitFunction function) {
  RankedTensorType lhs = c.inputType(0), rhs = c.inputType(1);
  if (!c.isIndexTensor(lhs) || lhs.getElementType() != rhs.getElementType()) {
    return c.error() << "expected two tensors of INT32 or of INT64, got " << lhs
                     << " and " << rhs;
  }
  FailureOr<SmallVector<Value>> operands =
      broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  c.setResult(0, BitwiseOp::create(c.builder, c.loc, (*operands)[0].getType(),
                                   function, (*operands)[0], (*operands)[1]));
  return success();
}

} // namespace

LogicalResult convertBitCast(NodeConversion &c) {
  auto to = static_cast<int32_t>(c.getInt("to", 0));
  Type element = getElementType(*c.builder.getContext(), to);
  RankedTensorType type = c.inputType(0);
  auto isWide = [](Type each) {
    return each && each.getIntOrFloatBitWidth() >= 32;
  };
  if (!isWide(element) || element.getIntOrFloatBitWidth() !=
                              type.getElementType().getIntOrFloatBitWidth()) {
    return c.error() << "expected a cast between FLOAT and INT32 or between "
                        "DOUBLE and INT64, got one from "
                     << type.getElementType() << " to " << getDataTypeName(to);
  }
  c.setResult(0, element == type.getElementType()
                     ? c.input(0)
                     : BitcastOp::create(c.builder, c.loc, type.clone(element),
                                         c.input(0))
                           .getResult());
  return success();
}

LogicalResult convertBitShift(NodeConversion &c) {
  StringRef direction = c.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return c.error() << "expected a direction of LEFT or RIGHT, got '"
                     << direction << "'";
  }
  return combineBits(c, direction == "LEFT" ? BitFunction::ShiftLeft
                                            : BitFunction::ShiftRight);
}

LogicalResult convertBitwise(NodeConversion &c) {
  return combineBits(c, llvm::StringSwitch<BitFunction>(c.node.op_type())
                            .Case("BitwiseAnd", BitFunction::And)
                            .Case("BitwiseOr", BitFunction::Or)
                            .Case("BitwiseXor", BitFunction::Xor));
}

LogicalResult convertBitwiseNot(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (!c.isIndexTensor(type)) {
    return c.error() << "expected a tensor of INT32 or INT64, got " << type;
  }
  Value ones = c.makeConstant(type, -1);
  c.setResult(0, BitwiseOp::create(c.builder, c.loc, type, BitFunction::Xor,
                                   c.input(0), ones));
  return success();
}

} // namespace accel::onnx
