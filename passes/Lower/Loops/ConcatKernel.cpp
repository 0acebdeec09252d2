// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concat kernels: the parts of every row, one after the other, each in the
// longest runs that its views allow.
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

#include <numeric>

using namespace mlir;
using namespace accel;

/// The longest runs in which all that `tensor` is computed from can be read.
static int64_t findRun(Value tensor, int64_t run) {
  Value root = getViewRoot(tensor, [](Value) { return false; });
  run = getRunLength(tensor, root, run);
  Operation *op = root.getDefiningOp();
  if (run == 1 || !op || isa<ConstantOp, IotaOp>(op) ||
      getRunStride(tensor, root) == 0) {
    return run;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    int64_t width = getNumElements(gather.getResult()) /
                    getNumElements(gather.getIndices());
    return findRun(gather.getTable(), std::gcd(run, width));
  }
  for (Value operand : op->getOperands()) {
    run = getNumElements(operand) == getNumElements(root)
              ? findRun(operand, run)
              : run;
  }
  return run;
}

namespace {

/// Where a part of a row begins in its operand and in the result.
struct Part {
  Value tensor;
  AffineExpr source, target;
  int64_t size;
};

} // namespace

static void emitRun(KernelEmitter &emitter, const Part &part, unsigned result) {
  Value buffer = emitter.getResultBuffer(result);
  Storing storing = emitter.getStoring(result);
  if (part.size == 1) {
    if (Value scalar = emitter.scalarAt(part.tensor, part.source)) {
      emitter.store(scalar, buffer, part.target, storing);
    }
    return;
  }
  OpBuilder &builder = emitter.getBuilder();
  Sweep sweep(emitter, {part.source, part.size, Value(),
                        OpFoldResult(builder.getIndexAttr(part.size))});
  if (Value lane = sweep.lane(part.tensor)) {
    sweep.store(lane, buffer, part.target, storing);
  }
  sweep.finish();
}

static void emitPart(KernelEmitter &emitter, const Part &part,
                     unsigned result) {
  int64_t run = findRun(part.tensor, part.size);
  if (run == part.size) {
    return emitRun(emitter, part, result);
  }
  emitter.forEach(
      emitter.index(0), emitter.index(part.size / run), 1, [&](Value index) {
        AffineExpr offset = emitter.dimension(index) * run;
        emitRun(emitter,
                {part.tensor, part.source + offset, part.target + offset, run},
                result);
      });
}

static void emitConcat(KernelEmitter &emitter, Value tensor, unsigned result) {
  const IterationDomain &shape = emitter.getDomain();
  while (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    tensor = reshape.getOperand();
  }
  auto concat = tensor.getDefiningOp<ConcatOp>();
  if (!concat || getNumElements(tensor) != shape.elements) {
    emitter.emitError(emitter.getKernel())
        << "expected accel.concat of " << shape.elements << " elements, got "
        << tensor;
    return;
  }
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value index) {
    AffineExpr row = emitter.dimension(index);
    int64_t offset = 0;
    for (Value operand : concat.getOperands()) {
      int64_t size = getNumElements(operand) / shape.rows;
      if (size != 0) {
        emitPart(emitter,
                 {operand, row * size, row * shape.columns + offset, size},
                 result);
      }
      offset += size;
    }
  });
}

void accel::emitConcatKernel(KernelEmitter &emitter) {
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    emitConcat(emitter, result, i);
  }
}
