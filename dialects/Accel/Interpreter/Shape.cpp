// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What constants and the operations that move elements give.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;

namespace accel {
namespace {

/// A tensor whose element at every index is the operand's element at `offset`
/// plus index times `strides`.
HostTensor readStrided(const HostTensor &operand, RankedTensorType type,
                       int64_t offset, ArrayRef<int64_t> strides) {
  HostTensor result(type);
  auto read = [&](auto out, auto in) {
    forEachStrided(type.getShape(), strides, offset,
                   [&](int64_t element, int64_t position) {
                     out[element] = in[position];
                   });
  };
  if (result.isFloat()) {
    read(result.mutableFloats(), operand.floats());
  } else {
    read(result.mutableIntegers(), operand.integers());
  }
  return result;
}

/// Writes every element of `operand` to the element of `result` at `offset`
/// plus its index times `strides`.
void writeStrided(const HostTensor &operand, HostTensor &result, int64_t offset,
                  ArrayRef<int64_t> strides) {
  auto write = [&](auto out, auto in) {
    forEachStrided(operand.getShape(), strides, offset,
                   [&](int64_t element, int64_t position) {
                     out[position] = in[element];
                   });
  };
  if (result.isFloat()) {
    write(result.mutableFloats(), operand.floats());
  } else {
    write(result.mutableIntegers(), operand.integers());
  }
}

Evaluation evaluateConstant(ConstantOp op) {
  std::optional<HostTensor> value = HostTensor::fromAttribute(op.getValue());
  if (!value) {
    return FailureOr<HostTensors>(
        op.emitOpError()
        << "cannot be evaluated: its elements are not in memory");
  }
  return HostTensors{*value};
}

Evaluation evaluateIota(IotaOp op) {
  HostTensor result(op.getType());
  // A stride of 1 along the dimension and 0 elsewhere makes the position the
  // index.
  llvm::SmallVector<int64_t> strides(result.getRank(), 0);
  strides[op.getDimension()] = 1;
  forEachStrided(
      result.getShape(), strides, 0, [&](int64_t element, int64_t position) {
        if (result.isFloat()) {
          result.mutableFloats()[element] = static_cast<double>(position);
        } else {
          result.mutableIntegers()[element] =
              wrapToElementType(position, result.getElementType());
        }
      });
  return HostTensors{result};
}

Evaluation evaluateTranspose(TransposeOp op, const HostTensor &operand) {
  llvm::SmallVector<int64_t> source = getRowMajorStrides(operand.getShape());
  llvm::SmallVector<int64_t> strides;
  for (int64_t dimension : op.getPermutation()) {
    strides.push_back(source[dimension]);
  }
  return HostTensors{readStrided(operand, op.getType(), 0, strides)};
}

Evaluation evaluateBroadcast(BroadcastOp op, const HostTensor &operand) {
  llvm::SmallVector<int64_t> source = getRowMajorStrides(operand.getShape());
  llvm::SmallVector<int64_t> strides(op.getType().getRank(), 0);
  for (auto [dimension, size, stride] :
       llvm::zip_equal(op.getDimensions(), operand.getShape(), source)) {
    strides[dimension] = size == 1 ? 0 : stride;
  }
  return HostTensors{readStrided(operand, op.getType(), 0, strides)};
}

/// Where the first element of a strided part of a tensor of `shape` lies, and
/// its strides.
std::pair<int64_t, llvm::SmallVector<int64_t>>
getPart(ArrayRef<int64_t> shape, ArrayRef<int64_t> first,
        ArrayRef<int64_t> steps) {
  llvm::SmallVector<int64_t> strides = getRowMajorStrides(shape);
  int64_t offset = 0;
  for (auto [stride, start, step] : llvm::zip_equal(strides, first, steps)) {
    offset += stride * start;
    stride *= step;
  }
  return {offset, strides};
}

Evaluation evaluateSlice(SliceOp op, const HostTensor &operand) {
  auto [offset, strides] =
      getPart(operand.getShape(), op.getOffsets(), op.getStrides());
  return HostTensors{readStrided(operand, op.getType(), offset, strides)};
}

Evaluation evaluatePad(PadOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  auto [offset, strides] =
      getPart(result.getShape(), op.getLow(), op.getStrides());
  writeStrided(operand, result, offset, strides);
  return HostTensors{result};
}

/// The strides of the windows of a tensor of `shape`: those of its dimensions,
/// then those of a window's elements.
template <typename OpTy>
llvm::SmallVector<int64_t> getWindowStrides(OpTy op, ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides = getRowMajorStrides(shape);
  for (auto [axis, dilation] :
       llvm::zip_equal(op.getAxes(), op.getDilations())) {
    strides.push_back(strides[axis] * dilation);
  }
  for (auto [axis, stride] : llvm::zip_equal(op.getAxes(), op.getStrides())) {
    strides[axis] *= stride;
  }
  return strides;
}

Evaluation evaluateWindows(WindowsOp op, const HostTensor &operand) {
  return HostTensors{readStrided(operand, op.getType(), 0,
                                 getWindowStrides(op, operand.getShape()))};
}

Evaluation evaluateSumWindows(SumWindowsOp op, const HostTensor &operand) {
  HostTensor result(op.getType());
  llvm::SmallVector<int64_t> strides = getWindowStrides(op, result.getShape());
  auto add = [&](auto out, auto in, auto sum) {
    forEachStrided(operand.getShape(), strides, 0,
                   [&](int64_t element, int64_t position) {
                     out[position] = sum(out[position], in[element]);
                   });
  };
  if (result.isFloat()) {
    add(result.mutableFloats(), operand.floats(), std::plus<double>());
  } else {
    Type type = result.getElementType();
    add(result.mutableIntegers(), operand.integers(),
        [&](uint64_t sum, uint64_t x) {
          return wrapToElementType(sum + x, type);
        });
  }
  return HostTensors{result};
}

Evaluation evaluateSplit(SplitOp op, const HostTensor &operand) {
  llvm::SmallVector<int64_t> strides = getRowMajorStrides(operand.getShape());
  int64_t offset = 0;
  HostTensors results;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    RankedTensorType type = getResultType(op, i);
    results.push_back(readStrided(operand, type, offset, strides));
    offset += type.getDimSize(op.getAxis()) * strides[op.getAxis()];
  }
  return results;
}

Evaluation evaluateConcat(ConcatOp op, ArrayRef<HostTensor> operands) {
  HostTensor result(op.getType());
  llvm::SmallVector<int64_t> strides = getRowMajorStrides(result.getShape());
  int64_t offset = 0;
  for (const HostTensor &operand : operands) {
    writeStrided(operand, result, offset, strides);
    offset += operand.getShape()[op.getAxis()] * strides[op.getAxis()];
  }
  return HostTensors{result};
}

} // namespace

Evaluation evaluateShape(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](ConstantOp constant) { return evaluateConstant(constant); })
      .Case([&](IotaOp iota) { return evaluateIota(iota); })
      .Case([&](ReshapeOp reshape) {
        return HostTensors{operands[0].withType(reshape.getType())};
      })
      .Case([&](StopGradientOp) { return HostTensors{operands[0]}; })
      .Case([&](TransposeOp transpose) {
        return evaluateTranspose(transpose, operands[0]);
      })
      .Case([&](BroadcastOp broadcast) {
        return evaluateBroadcast(broadcast, operands[0]);
      })
      .Case([&](SliceOp slice) { return evaluateSlice(slice, operands[0]); })
      .Case([&](PadOp pad) { return evaluatePad(pad, operands[0]); })
      .Case([&](WindowsOp windows) {
        return evaluateWindows(windows, operands[0]);
      })
      .Case([&](SumWindowsOp sum) {
        return evaluateSumWindows(sum, operands[0]);
      })
      .Case([&](SplitOp split) { return evaluateSplit(split, operands[0]); })
      .Case([&](ConcatOp concat) { return evaluateConcat(concat, operands); })
      .Default(Evaluation());
}

} // namespace accel
