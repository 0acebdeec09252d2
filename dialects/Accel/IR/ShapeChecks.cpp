// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that verifiers of tensor operations share.
#include "dialects/Accel/IR/ShapeChecks.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace accel {

ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Type elementTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size)) {
      os << '?';
    } else {
      os << size;
    }
  });
  os << ')';
  return text;
}

bool fits(int64_t actual, int64_t expected) {
  return actual == expected || ShapedType::isDynamic(actual) ||
         ShapedType::isDynamic(expected);
}

LogicalResult verifyShape(Operation *op, StringRef name, Value value,
                          ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> actual = shapeOf(value);
  if (llvm::equal(actual, expected, fits)) {
    return success();
  }
  return op->emitOpError() << "expected `" << name << "` of shape "
                           << shapeText(expected) << ", got "
                           << shapeText(actual);
}

LogicalResult verifyElementType(Operation *op, StringRef name, Value value,
                                Type expected) {
  Type actual = elementTypeOf(value);
  if (actual == expected) {
    return success();
  }
  return op->emitOpError() << "expected `" << name << "` of element type "
                           << expected << ", got " << actual;
}

LogicalResult verifyRank(Operation *op, StringRef name, Value value,
                         int64_t rank) {
  int64_t actual = shapeOf(value).size();
  if (actual == rank) {
    return success();
  }
  return op->emitOpError() << "expected `" << name << "` of rank " << rank
                           << ", got rank " << actual;
}

LogicalResult verifyMinimumRank(Operation *op, StringRef name, Value value,
                                int64_t rank) {
  int64_t actual = shapeOf(value).size();
  if (actual >= rank) {
    return success();
  }
  return op->emitOpError() << "expected `" << name << "` of rank " << rank
                           << " or more, got rank " << actual;
}

LogicalResult verifyAxis(Operation *op, StringRef name, int64_t axis,
                         int64_t rank) {
  if (axis >= 0 && axis < rank) {
    return success();
  }
  InFlightDiagnostic error = op->emitOpError();
  if (rank == 0) {
    return error << "expected a tensor with the dimension `" << name
                 << "`, got rank 0";
  }
  return error << "expected `" << name << "` to be a dimension, 0 to "
               << rank - 1 << ", got " << axis;
}

LogicalResult verifyLength(Operation *op, StringRef name,
                           ArrayRef<int64_t> values, int64_t expected) {
  if (static_cast<int64_t>(values.size()) == expected) {
    return success();
  }
  return op->emitOpError() << "expected `" << name << "` to have " << expected
                           << " entries, one per dimension of `operand`, got "
                           << values.size();
}

} // namespace accel
