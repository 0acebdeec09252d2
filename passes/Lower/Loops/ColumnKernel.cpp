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
//
// A result that is the sum cast to 16 or 8 bits cannot be added to: its block
// is summed whole, in floats, before it is stored.
//
// Tables that rows are added to may be dealt out, too, where the geometry has
// more tiles than blocks: tile t has block t % blocks of every row of the table
// that is t / blocks modulo tiles / blocks, and passes over what is added to
// other rows.
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

using namespace mlir;
using namespace accel;

/// Rows summed before the result is touched.
static constexpr int64_t kChunk = 32;

namespace {

class ColumnKernel {
public:
  explicit ColumnKernel(KernelEmitter &emitter)
      : emitter(emitter), indices(emitter.getBuilder(), emitter.getLoc()),
        shape(emitter.getDomain()), tile(emitter.getGeometry().getTile()),
        parts(emitter.getGeometry().getTiles() /
              llvm::divideCeil(shape.columns, tile)) {}

  void emit();

private:
  struct Sum {
    ReduceSumOp op;
    unsigned result;
    Value partial; ///< the buffer of the block
    Value total;   ///< of the block, over all chunks; if the result is a cast

    Value getOperand() const { return ReduceSumOp(op).getOperand(); }
  };
  using EmitBlock = llvm::function_ref<void(AffineExpr first, int64_t count)>;

  bool collect();
  bool collectResult(Value value, unsigned result);
  SweepRange rangeFrom(AffineExpr first) const;
  void allocateBlocks(Sum &sum);
  void emitZeros(unsigned result);
  void forEachBlock(EmitBlock emitBlock);
  void emitPartial(ArrayRef<Sum> some, AffineExpr first, int64_t count,
                   Value chunk);
  void emitBlock(AffineExpr first, int64_t count, Value chunk);
  void emitCastBlock(AffineExpr first, int64_t count);
  void emitScatter(ScatterAddOp scatter, unsigned result);
  void emitUpdate(ScatterAddOp scatter, unsigned result, AffineExpr row,
                  Value target);
  void emitTablePart(Value number);
  void begin(unsigned result);

  Value zero(Type type) {
    return Arithmetic(emitter.getBuilder(), emitter.getLoc(), type).number(0.0);
  }

  KernelEmitter &emitter;
  IndexArithmetic indices;
  const IterationDomain &shape;
  int64_t tile; ///< columns of a block
  SmallVector<Sum> sums, castSums;
  SmallVector<std::pair<ScatterAddOp, unsigned>> scatters;
  Value firstColumn, width; ///< of the call
  int64_t parts;            ///< that the rows of tables are dealt to
  Value part;               ///< null: there is one only
};

/// The columns of the call, in the row that begins at `first`.
SweepRange ColumnKernel::rangeFrom(AffineExpr first) const {
  int64_t divisor = shape.columns % tile == 0 ? tile : 1;
  return {first, shape.columns,           firstColumn,
          width, /*startsInFours=*/false, divisor};
}

/// Whether a result is a sum, perhaps cast, over the kernel's rows.
bool ColumnKernel::collectResult(Value value, unsigned result) {
  auto isNoReshape = [](Value v) { return !v.getDefiningOp<ReshapeOp>(); };
  Value root = getViewRoot(value, isNoReshape);
  CastOp cast;
  if (SmallFloat::get(elementTypeOf(value))) {
    cast = root.getDefiningOp<CastOp>();
    root = cast ? getViewRoot(cast.getOperand(), isNoReshape) : root;
  }
  if (auto sum = root.getDefiningOp<ReduceSumOp>();
      sum && getNumElements(root) == shape.columns &&
      getNumElements(sum.getOperand()) == shape.elements) {
    (cast ? castSums : sums).push_back({sum, result, Value(), Value()});
    return true;
  }
  auto scatter = root.getDefiningOp<ScatterAddOp>();
  if (cast || !scatter ||
      getNumElements(scatter.getUpdates()) != shape.elements ||
      getNumElements(scatter.getIndices()) != shape.rows) {
    emitter.emitError(emitter.getKernel())
        << "expected results to be sums over " << shape.rows << " rows of "
        << shape.columns << ", got " << root;
    return false;
  }
  scatters.push_back({scatter, result});
  return true;
}

/// Finds out what is summed.
bool ColumnKernel::collect() {
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    if (!collectResult(result, i)) {
      return false;
    }
  }
  return true;
}

void ColumnKernel::allocateBlocks(Sum &sum) {
  Type element = elementTypeOf(sum.getOperand());
  sum.partial = emitter.allocate(element, {tile});
  if (SmallFloat::get(elementTypeOf(emitter.getResults()[sum.result]))) {
    sum.total = emitter.allocate(element, {tile});
  }
}

/// Zeros in the columns of the call, in all rows of a result, or those of the
/// part.
void ColumnKernel::emitZeros(unsigned result) {
  Value buffer = emitter.getResultBuffer(result);
  int64_t rows = getNumElements(emitter.getResults()[result]) / shape.columns;
  Value first = part ? part : emitter.index(0);
  emitter.forEach(first, emitter.index(rows), parts, [&](Value index) {
    AffineExpr first = emitter.dimension(index) * shape.columns;
    Sweep sweep(emitter, rangeFrom(first));
    sweep.store(zero(elementTypeOf(emitter.getResults()[result])), buffer,
                first, Storing());
    sweep.finish();
  });
}

/// The sums of a chunk of rows over the columns of a block.
void ColumnKernel::emitPartial(ArrayRef<Sum> some, AffineExpr first,
                               int64_t count, Value chunk) {
  OpFoldResult size = emitter.getBuilder().getIndexAttr(count);
  {
    Sweep sweep(emitter, {emitter.number(0), shape.columns, Value(), size});
    for (const Sum &sum : some) {
      sweep.storeWhole(zero(elementTypeOf(sum.getOperand())), sum.partial,
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
    for (const Sum &sum : some) {
      if (Value lane = sweep.lane(sum.getOperand())) {
        sweep.storeWhole(lane, sum.partial, {/*adds=*/true, Value()});
      }
    }
    sweep.finish();
  });
}

void ColumnKernel::emitBlock(AffineExpr first, int64_t count, Value chunk) {
  emitPartial(sums, first, count, chunk);
  Value inner = emitter.materialize(first);
  OpFoldResult size = emitter.getBuilder().getIndexAttr(count);
  Sweep sweep(emitter, {emitter.number(0), shape.columns, inner, size});
  for (const Sum &sum : sums) {
    Value partial =
        sweep.loadWhole(sum.partial, elementTypeOf(sum.getOperand()));
    sweep.store(partial, emitter.getResultBuffer(sum.result), emitter.number(0),
                {/*adds=*/true, Value()});
  }
  sweep.finish();
}

/// All chunks of a block whose sums are cast.
void ColumnKernel::emitCastBlock(AffineExpr first, int64_t count) {
  OpFoldResult size = emitter.getBuilder().getIndexAttr(count);
  SweepRange block{emitter.number(0), tile, Value(), size};
  Sweep zeros(emitter, block);
  for (const Sum &sum : castSums) {
    zeros.storeWhole(zero(elementTypeOf(sum.getOperand())), sum.total,
                     Storing());
  }
  zeros.finish();
  emitter.forEach(
      emitter.index(0), emitter.index(shape.rows), kChunk, [&](Value chunk) {
        emitPartial(castSums, first, count, chunk);
        Sweep sweep(emitter, block);
        for (const Sum &sum : castSums) {
          Value partial =
              sweep.loadWhole(sum.partial, elementTypeOf(sum.getOperand()));
          sweep.storeWhole(partial, sum.total, {/*adds=*/true, Value()});
        }
        sweep.finish();
      });
  Sweep sweep(emitter, block);
  for (Sum &sum : castSums) {
    sweep.setStored(sum.op.getResult(), sum.total);
    if (Value lane = sweep.lane(emitter.getResults()[sum.result])) {
      sweep.store(lane, emitter.getResultBuffer(sum.result), first, Storing());
    }
  }
  sweep.finish();
}

void ColumnKernel::forEachBlock(EmitBlock emitBlock) {
  int64_t fullBlocks = shape.columns / tile;
  int64_t rest = shape.columns % tile;
  Value lastFull = indices.min(emitter.getEnd(), emitter.index(fullBlocks));
  if (fullBlocks != 0) {
    emitter.forEach(emitter.getBegin(), lastFull, 1, [&](Value block) {
      emitBlock(emitter.dimension(block) * tile, tile);
    });
  }
  if (rest == 0) {
    return;
  }
  // Two conditions: an empty range may lie behind the last block.
  Value isAny = indices.isBelow(emitter.getBegin(), emitter.getEnd());
  Value hasLast = indices.isBelow(emitter.index(fullBlocks), emitter.getEnd());
  emitter.onlyIf(indices.both(hasLast, isAny),
                 [&] { emitBlock(emitter.number(fullBlocks * tile), rest); });
}

void ColumnKernel::emitUpdate(ScatterAddOp scatter, unsigned result,
                              AffineExpr row, Value target) {
  Sweep sweep(emitter, rangeFrom(row * shape.columns));
  if (Value lane = sweep.lane(scatter.getUpdates())) {
    AffineExpr place = emitter.dimension(target) * shape.columns;
    sweep.store(lane, emitter.getResultBuffer(result), place,
                {/*adds=*/true, Value()});
  }
  sweep.finish();
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
        if (!part) {
          return emitUpdate(scatter, result, row, target);
        }
        emitter.onlyIf(indices.isEqual(indices.rem(target, parts), part),
                       [&] { emitUpdate(scatter, result, row, target); });
      });
}

/// Makes zeros of result `result`, unless it is added to what is there.
void ColumnKernel::begin(unsigned result) {
  Storing storing = emitter.getStoring(result);
  auto isStoredOnce = [&](const Sum &sum) { return sum.result == result; };
  if (storing.kept) {
    emitter.onlyIf(indices.isNot(storing.kept), [&] { emitZeros(result); });
  } else if (!storing.adds && llvm::none_of(castSums, isStoredOnce)) {
    emitZeros(result);
  }
}

/// What tile `number` adds to its rows of the tables.
void ColumnKernel::emitTablePart(Value number) {
  int64_t blocks = llvm::divideCeil(shape.columns, tile);
  part = indices.div(number, blocks);
  firstColumn = indices.mul(indices.rem(number, blocks), tile);
  width = indices.min(indices.index(tile),
                      indices.sub(indices.index(shape.columns), firstColumn));
  for (auto [scatter, result] : scatters) {
    begin(result);
    emitScatter(scatter, result);
  }
}

void ColumnKernel::emit() {
  if (!collect()) {
    return;
  }
  if (parts > 1) {
    emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1,
                    [&](Value number) { emitTablePart(number); });
    return;
  }
  firstColumn =
      emitter.materialize(emitter.dimension(emitter.getBegin()) * tile);
  Value lastColumn =
      emitter.materialize(emitter.dimension(emitter.getEnd()) * tile);
  // An empty range may lie behind the last column.
  firstColumn = indices.min(firstColumn, emitter.index(shape.columns));
  lastColumn = indices.min(lastColumn, emitter.index(shape.columns));
  width = indices.sub(lastColumn, firstColumn);
  for (unsigned i = 0; i < emitter.getResults().size(); ++i) {
    begin(i);
  }
  llvm::for_each(sums, [&](Sum &sum) { allocateBlocks(sum); });
  llvm::for_each(castSums, [&](Sum &sum) { allocateBlocks(sum); });
  if (!sums.empty()) {
    emitter.forEach(emitter.index(0), emitter.index(shape.rows), kChunk,
                    [&](Value chunk) {
                      forEachBlock([&](AffineExpr first, int64_t count) {
                        emitBlock(first, count, chunk);
                      });
                    });
  }
  if (!castSums.empty()) {
    forEachBlock(
        [&](AffineExpr first, int64_t count) { emitCastBlock(first, count); });
  }
  for (auto [scatter, result] : scatters) {
    emitScatter(scatter, result);
  }
}

} // namespace

void accel::emitColumnKernel(KernelEmitter &emitter) {
  ColumnKernel(emitter).emit();
}
