// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands behind views, results that are stored transposed.
#include "passes/Lower/Loops/HeadTensor.h"

using namespace mlir;
using namespace accel;

HeadTensor HeadTensor::getOperand(KernelEmitter &emitter, Operation *op,
                                  Value operand) {
  Value root = getViewRoot(operand);
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !liesInRows(operand, root)) {
    emitter.emitError(op)
        << "expected operands that lie in memory, the last dimension "
           "contiguous, got one of "
        << operand.getType() << " that does not";
    return {};
  }
  ArrayRef<int64_t> shape = shapeOf(operand);
  return {emitter.getBuffer(argument), *getStridedView(operand, root), shape[2],
          shape[3], elementTypeOf(operand)};
}

HeadTensor HeadTensor::getResult(KernelEmitter &emitter, Operation *op,
                                 unsigned number) {
  Value result = op->getResult(number);
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    auto transpose = returned.getDefiningOp<TransposeOp>();
    bool isTransposed = transpose && transpose.getOperand() == result;
    if (returned != result && !isTransposed) {
      continue;
    }
    SmallVector<int64_t> strides(4, 0);
    ArrayRef<int64_t> shape = shapeOf(returned);
    int64_t stride = 1;
    for (int64_t axis = 3; axis >= 0; --axis) {
      strides[isTransposed ? transpose.getPermutation()[axis] : axis] = stride;
      stride *= shape[axis];
    }
    return {emitter.getResultBuffer(i),
            {0, strides},
            shapeOf(result)[2],
            shapeOf(result)[3],
            elementTypeOf(result)};
  }
  return {};
}
