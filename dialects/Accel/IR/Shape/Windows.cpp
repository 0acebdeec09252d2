// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows and their transpose, the sum of windows: verification and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// What both operations say: how windows of the tensor `whole` lie in
/// `windows`.
struct WindowGeometry {
  Value whole, windows;
  StringRef wholeName, windowsName;
  ArrayRef<int64_t> axes, sizes, strides, dilations;

  LogicalResult verify(Operation *op) const;

private:
  LogicalResult verifyAttributes(Operation *op) const;
  LogicalResult verifyWindows(Operation *op) const;
  LogicalResult verifyPlaces(Operation *op) const;
};

} // namespace

LogicalResult WindowGeometry::verifyAttributes(Operation *op) const {
  // windows_c1, sum_windows_c1
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (failed(verifyAxis(op, "axes", axis, shapeOf(whole).size()))) {
      return failure();
    }
    if (axis <= previous) {
      return op->emitOpError() << "expected `axes` to increase, got " << axis
                               << " after " << previous;
    }
    previous = axis;
  }
  for (auto [name, values] :
       {std::pair("sizes", sizes), std::pair("strides", strides),
        std::pair("dilations", dilations)}) {
    if (values.size() != axes.size()) {
      return op->emitOpError()
             << "expected `" << name << "` to have " << axes.size()
             << " entries, one per axis, got " << values.size();
    }
    for (auto [axis, value] : llvm::zip_equal(axes, values)) {
      if (value < 1) {
        return op->emitOpError() << "expected positive `" << name << "`, got "
                                 << value << " along axis " << axis;
      }
    }
  }
  return success();
}

LogicalResult WindowGeometry::verifyWindows(Operation *op) const {
  // windows_c2, sum_windows_c2
  ArrayRef<int64_t> actual = shapeOf(windows);
  SmallVector<int64_t> expected(shapeOf(whole));
  for (int64_t axis : axes) {
    if (axis < static_cast<int64_t>(actual.size())) {
      expected[axis] = actual[axis];
    }
  }
  llvm::append_range(expected, sizes);
  if (failed(
          verifyElementType(op, windowsName, windows, elementTypeOf(whole)))) {
    return failure();
  }
  return verifyShape(op, windowsName, windows, expected);
}

LogicalResult WindowGeometry::verifyPlaces(Operation *op) const {
  // windows_c3, sum_windows_c3
  for (auto [axis, size, stride, dilation] :
       llvm::zip_equal(axes, sizes, strides, dilations)) {
    int64_t count = shapeOf(windows)[axis];
    int64_t room = shapeOf(whole)[axis];
    if (ShapedType::isDynamic(count) || ShapedType::isDynamic(room)) {
      continue;
    }
    if (count < 1) {
      return op->emitOpError() << "expected at least one window along axis "
                               << axis << ", got " << count;
    }
    // As quotients, because the products could overflow.
    bool fitsOne = size - 1 <= (room - 1) / dilation;
    int64_t left = fitsOne ? room - 1 - (size - 1) * dilation : -1;
    if (left < 0 || count - 1 > left / stride) {
      return op->emitOpError()
             << "expected " << count << " windows of " << size
             << " elements (stride " << stride << ", dilation " << dilation
             << ") to lie inside the " << room << " of `" << wholeName
             << "` along axis " << axis << ", got more";
    }
  }
  return success();
}

LogicalResult WindowGeometry::verify(Operation *op) const {
  if (failed(verifyAttributes(op)) || failed(verifyWindows(op))) {
    return failure();
  }
  return verifyPlaces(op);
}

void WindowsOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  SmallVector<int64_t> shape(shapeOf(operand));
  for (auto [axis, size, stride, dilation] :
       llvm::zip_equal(axes, sizes, strides, dilations)) {
    shape[axis] = (shape[axis] - 1 - (size - 1) * dilation) / stride + 1;
  }
  llvm::append_range(shape, sizes);
  build(builder, state, RankedTensorType::get(shape, elementTypeOf(operand)),
        operand, axes, sizes, strides, dilations);
}

LogicalResult WindowsOp::verify() {
  return WindowGeometry{getOperand(), getResult(), "operand",    "result",
                        getAxes(),    getSizes(),  getStrides(), getDilations()}
      .verify(*this);
}

LogicalResult SumWindowsOp::verify() {
  return WindowGeometry{getResult(), getOperand(), "result",     "operand",
                        getAxes(),   getSizes(),   getStrides(), getDilations()}
      .verify(*this);
}

LogicalResult
WindowsOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] =
      b.create<SumWindowsOp>(getOperand().getType(), gradient, getAxes(),
                             getSizes(), getStrides(), getDilations());
  return success();
}

LogicalResult
SumWindowsOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                            MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] =
      b.create<WindowsOp>(getOperand().getType(), gradient, getAxes(),
                          getSizes(), getStrides(), getDilations());
  return success();
}
