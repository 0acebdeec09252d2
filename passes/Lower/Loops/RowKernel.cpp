// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row kernels: for every row one sweep per level of reductions, scalars in
// between.
//
//   for %r = %begin to %end:
//     sweep 0: reductions of operands         m = max(x)
//     scalars of level 1
//     sweep 1: reductions of values with m    s = sum(exp(x - m))
//     ...
//     last sweep: results                     y = exp(x - m) / s
//     results of one element per row
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Loops/Combination.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"
#include "passes/Lower/Loops/SweepPlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

namespace {

class RowKernel {
public:
  explicit RowKernel(KernelEmitter &emitter)
      : emitter(emitter), shape(emitter.getDomain()),
        plan(emitter.getKernel(), shape) {}

  void emit();

private:
  bool checkShapes();
  void allocateAccumulators();
  void emitSweep(const SweepPlan::Step &step);
  void emitReduction(Sweep &sweep, Operation *op);
  void emitRowResults();

  KernelEmitter &emitter;
  const IterationDomain &shape;
  SweepPlan plan;
  AffineExpr row, first;
  llvm::DenseMap<Operation *, Value> accumulators;
  SmallVector<std::pair<Value, Value>> stored; ///< value -> buffer
};

/// Results have an element per element or per row; reductions take a row.
bool RowKernel::checkShapes() {
  for (Value result : emitter.getResults()) {
    int64_t count = getNumElements(result);
    if (count != shape.elements && count != shape.rows) {
      emitter.emitError(emitter.getKernel())
          << "expected results of " << shape.elements << " or " << shape.rows
          << " elements, got " << result.getType();
    }
  }
  for (const SweepPlan::Step &step : plan.getSteps()) {
    for (Operation *reduction : step.reductions) {
      if (getNumElements(reduction->getOperand(0)) != shape.elements ||
          getNumElements(reduction->getResult(0)) != shape.rows) {
        emitter.emitError(reduction)
            << "expected to reduce " << shape.rows << " rows of "
            << shape.columns << ", got " << reduction->getOperand(0).getType();
      }
    }
  }
  return !emitter.hasFailed();
}

void RowKernel::allocateAccumulators() {
  for (const SweepPlan::Step &step : plan.getSteps()) {
    for (Operation *reduction : step.reductions) {
      accumulators[reduction] =
          emitter.allocate(elementTypeOf(reduction->getResult(0)), {});
    }
  }
}

void RowKernel::emitReduction(Sweep &sweep, Operation *op) {
  Value lane = sweep.lane(op->getOperand(0));
  if (!lane) {
    return;
  }
  OpBuilder &builder = emitter.getBuilder();
  vector::CombiningKind combination = getCombination(op);
  Value neutral = emitSplat(builder, op->getLoc(), lane.getType(),
                            getNeutral(combination, lane.getType()));
  memref::StoreOp::create(builder, op->getLoc(), neutral, accumulators[op],
                          ValueRange());
  sweep.reduce(combination, lane, accumulators[op]);
}

void RowKernel::emitSweep(const SweepPlan::Step &step) {
  OpBuilder &builder = emitter.getBuilder();
  Sweep sweep(emitter, {first, shape.columns, Value(),
                        OpFoldResult(builder.getIndexAttr(shape.columns))});
  for (auto [tensor, buffer] : stored) {
    sweep.setStored(tensor, buffer);
  }
  for (Operation *reduction : step.reductions) {
    emitReduction(sweep, reduction);
  }
  for (const SweepPlan::Store &store : step.stores) {
    Storing storing =
        store.isResult ? emitter.getStoring(store.result) : Storing();
    Value buffer = emitter.getResultBuffer(store.result);
    if (Value lane = sweep.lane(store.tensor)) {
      sweep.store(lane, buffer, first, storing);
    }
    if (storing.adds) {
      continue;
    }
    stored.push_back({store.tensor, buffer});
    for (Value value = store.tensor;
         auto reshape = value.getDefiningOp<ReshapeOp>();) {
      value = reshape.getOperand();
      stored.push_back({value, buffer});
    }
  }
  sweep.finish();
  for (Operation *reduction : step.reductions) {
    Value total = memref::LoadOp::create(builder, reduction->getLoc(),
                                         accumulators[reduction], ValueRange());
    emitter.setScalar(reduction->getResult(0), row, total);
  }
}

/// All are computed before any is stored: one may lie on an operand of another.
void RowKernel::emitRowResults() {
  SmallVector<std::pair<unsigned, Value>> scalars;
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    if (getNumElements(result) == shape.rows) {
      if (Value scalar = emitter.scalarAt(result, row)) {
        scalars.push_back({i, scalar});
      }
    }
  }
  for (auto [result, scalar] : scalars) {
    emitter.store(scalar, emitter.getResultBuffer(result), row,
                  emitter.getStoring(result));
  }
}

void RowKernel::emit() {
  if (!checkShapes()) {
    return;
  }
  bool isScalar = shape.columns == 1;
  if (!isScalar) {
    allocateAccumulators();
  }
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value index) {
    row = emitter.dimension(index);
    first = row * shape.columns;
    if (!isScalar) {
      llvm::for_each(plan.getSteps(),
                     [&](const SweepPlan::Step &step) { emitSweep(step); });
    }
    emitRowResults();
  });
}

} // namespace

void accel::emitRowKernel(KernelEmitter &emitter) { RowKernel(emitter).emit(); }
