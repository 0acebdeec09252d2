// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Column kernels: sums over rows, one per column. A block of 64 columns is
// summed over up to 32 rows in a buffer of its own before it is added to the
// result: that keeps the rounding error of many rows small, and neither the
// blocks nor the order within them depends on how the columns are split among
// threads.
//
//   zero the columns of the results            (unless what is there is kept)
//   for %chunk = 0 to rows step 32:
//     for %block = %begin to %end:
//       %sum = 0; for %r in the chunk: %sum += expression(%r, columns of the
//       block) result += %sum
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Cpu/Kernels.h"
#include "passes/Lower/Cpu/Sweep.h"
#include "passes/Lower/IndexArithmetic.h"

using namespace mlir;
using namespace accel;

/// Rows summed before the result is touched.
static constexpr int64_t kChunk = 32;

namespace {

class ColumnKernel {
public:
  explicit ColumnKernel(KernelEmitter &emitter)
      : emitter(emitter), indices(emitter.getBuilder(), emitter.getLoc()),
        shape(emitter.getDomain()), unit(emitter.getGeometry().getUnit()) {}

  void emit();

private:
  struct Sum {
    Value operand;
    unsigned result;
    Value partial; ///< the buffer of the block
  };

  bool collect();
  SweepRange rangeFrom(AffineExpr first) const;
  void emitZeros(unsigned result);
  void emitChunk(Value chunk);
  void emitBlock(AffineExpr firstColumn, int64_t width, Value chunk);
  void emitScatter(ScatterAddOp scatter, unsigned result);

  Value zero(Type type) {
    return Arithmetic(emitter.getBuilder(), emitter.getLoc(), type).number(0.0);
  }

  KernelEmitter &emitter;
  IndexArithmetic indices;
  const IterationDomain &shape;
  int64_t unit; ///< columns of a block
  SmallVector<Sum> sums;
  SmallVector<std::pair<ScatterAddOp, unsigned>> scatters;
  Value firstColumn, width; ///< of the call
};

/// The columns of the call, in the row that begins at `first`.
SweepRange ColumnKernel::rangeFrom(AffineExpr first) const {
  int64_t divisor = shape.columns % unit == 0 ? unit : 1;
  return {first, shape.columns,           firstColumn,
          width, /*startsInFours=*/false, divisor};
}

/// Finds out what is summed; every result must be a sum over the kernel's rows.
bool ColumnKernel::collect() {
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    Value root = getViewRoot(
        result, [](Value v) { return !v.getDefiningOp<ReshapeOp>(); });
    if (auto sum = root.getDefiningOp<ReduceSumOp>();
        sum && getNumElements(root) == shape.columns &&
        getNumElements(sum.getOperand()) == shape.elements) {
      sums.push_back({sum.getOperand(), static_cast<unsigned>(i), Value()});
    } else if (auto scatter = root.getDefiningOp<ScatterAddOp>();
               scatter &&
               getNumElements(scatter.getUpdates()) == shape.elements &&
               getNumElements(scatter.getIndices()) == shape.rows) {
      scatters.push_back({scatter, static_cast<unsigned>(i)});
    } else {
      emitter.emitError(emitter.getKernel())
          << "expected results to be sums over " << shape.rows << " rows of "
          << shape.columns << ", got " << root;
      return false;
    }
  }
  return true;
}

/// Zeros in the columns of the call, in all rows of a result.
void ColumnKernel::emitZeros(unsigned result) {
  Value buffer = emitter.getResultBuffer(result);
  int64_t rows = getNumElements(emitter.getResults()[result]) / shape.columns;
  emitter.forEach(emitter.index(0), emitter.index(rows), 1, [&](Value index) {
    AffineExpr first = emitter.dimension(index) * shape.columns;
    Sweep sweep(emitter, rangeFrom(first));
    sweep.store(zero(elementTypeOf(emitter.getResults()[result])), buffer,
                first, Storing());
    sweep.finish();
  });
}

void ColumnKernel::emitBlock(AffineExpr first, int64_t count, Value chunk) {
  OpFoldResult size = emitter.getBuilder().getIndexAttr(count);
  {
    Sweep sweep(emitter, {emitter.number(0), shape.columns, Value(), size});
    for (const Sum &sum : sums) {
      sweep.storeWhole(zero(elementTypeOf(sum.operand)), sum.partial,
                       Storing());
    }
    sweep.finish();
  }
  Value inner = emitter.materialize(first);
  Value last = indices.min(indices.add(chunk, emitter.index(kChunk)),
                           emitter.index(shape.rows));
  emitter.forEach(chunk, last, 1, [&](Value row) {
    Sweep sweep(emitter, {emitter.dimension(row) * shape.columns, shape.columns,
                          inner, size});
    for (const Sum &sum : sums) {
      if (Value lane = sweep.lane(sum.operand)) {
        sweep.storeWhole(lane, sum.partial, {/*adds=*/true, Value()});
      }
    }
    sweep.finish();
  });
  Sweep sweep(emitter, {emitter.number(0), shape.columns, inner, size});
  for (const Sum &sum : sums) {
    Value partial = sweep.loadWhole(sum.partial, elementTypeOf(sum.operand));
    sweep.store(partial, emitter.getResultBuffer(sum.result), emitter.number(0),
                {/*adds=*/true, Value()});
  }
  sweep.finish();
}

void ColumnKernel::emitChunk(Value chunk) {
  int64_t fullBlocks = shape.columns / unit;
  int64_t rest = shape.columns % unit;
  Value lastFull = indices.min(emitter.getEnd(), emitter.index(fullBlocks));
  if (fullBlocks != 0) {
    emitter.forEach(emitter.getBegin(), lastFull, 1, [&](Value block) {
      emitBlock(emitter.dimension(block) * unit, unit, chunk);
    });
  }
  if (rest == 0) {
    return;
  }
  // Two conditions: an empty range may lie behind the last block.
  Value isAny = indices.isBelow(emitter.getBegin(), emitter.getEnd());
  Value hasLast = indices.isBelow(emitter.index(fullBlocks), emitter.getEnd());
  emitter.onlyIf(indices.both(hasLast, isAny), [&] {
    emitBlock(emitter.number(fullBlocks * unit), rest, chunk);
  });
}

/// Rows are added one after the other, in their order.
void ColumnKernel::emitScatter(ScatterAddOp scatter, unsigned result) {
  emitter.forEach(
      emitter.index(0), emitter.index(shape.rows), 1, [&](Value index) {
        AffineExpr row = emitter.dimension(index);
        Value chosen = emitter.scalarAt(scatter.getIndices(), row);
        if (!chosen) {
          return;
        }
        Value target =
            indices.cast(chosen, emitter.getBuilder().getIndexType());
        Sweep sweep(emitter, rangeFrom(row * shape.columns));
        if (Value lane = sweep.lane(scatter.getUpdates())) {
          AffineExpr place = emitter.dimension(target) * shape.columns;
          sweep.store(lane, emitter.getResultBuffer(result), place,
                      {/*adds=*/true, Value()});
        }
        sweep.finish();
      });
}

void ColumnKernel::emit() {
  if (!collect()) {
    return;
  }
  firstColumn =
      emitter.materialize(emitter.dimension(emitter.getBegin()) * unit);
  Value lastColumn =
      emitter.materialize(emitter.dimension(emitter.getEnd()) * unit);
  // An empty range may lie behind the last column.
  firstColumn = indices.min(firstColumn, emitter.index(shape.columns));
  lastColumn = indices.min(lastColumn, emitter.index(shape.columns));
  width = indices.sub(lastColumn, firstColumn);
  for (unsigned i = 0; i < emitter.getResults().size(); ++i) {
    Storing storing = emitter.getStoring(i);
    if (storing.kept) {
      emitter.onlyIf(indices.isNot(storing.kept), [&] { emitZeros(i); });
    } else if (!storing.adds) {
      emitZeros(i);
    }
  }
  for (Sum &sum : sums) {
    sum.partial = emitter.allocate(elementTypeOf(sum.operand), {unit});
  }
  if (!sums.empty()) {
    emitter.forEach(emitter.index(0), emitter.index(shape.rows), kChunk,
                    [&](Value chunk) { emitChunk(chunk); });
  }
  for (auto [scatter, result] : scatters) {
    emitScatter(scatter, result);
  }
}

} // namespace

void accel::emitColumnKernel(KernelEmitter &emitter) {
  ColumnKernel(emitter).emit();
}
