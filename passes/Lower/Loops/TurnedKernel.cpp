// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of rows that store one result in transposed order as well: a tile's
// rows are computed first, and then what they have stored, which is still in
// the first cache, is turned block by block.
//
//   for each row of the tile:            one sweep
//   for each block of its columns:       as many vectors as it has rows
#include "passes/Analysis/TurnedResult.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace accel;

/// Vectors that are the rows of a square, as its columns. Each step puts the
/// elements of rows i and i + n / 2 in turn: after as many steps as an index
/// has bits, row and column have changed places.
static SmallVector<Value> transposeSquare(OpBuilder &builder, Location loc,
                                          SmallVector<Value> rows) {
  int64_t size = rows.size(), half = size / 2;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < half; ++i) {
    low.append({i, size + i});
    high.append({half + i, size + half + i});
  }
  for (int64_t step = 1; step < size; step *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < half; ++i) {
      for (const SmallVector<int64_t> &mask : {low, high}) {
        next.push_back(vector::ShuffleOp::create(builder, loc, rows[i],
                                                 rows[i + half], mask));
      }
    }
    rows = std::move(next);
  }
  return rows;
}

namespace {

class TurnedKernel {
public:
  TurnedKernel(KernelEmitter &emitter, const TurnedResult &turned)
      : emitter(emitter), turned(turned), columns(turned.view.sourceColumns()),
        side(emitter.getGeometry().getTile()) {}

  void emit();

private:
  void emitRow(AffineExpr row);
  void turn(AffineExpr row);

  KernelEmitter &emitter;
  const TurnedResult &turned;
  int64_t columns, side;
};

} // namespace

void TurnedKernel::emitRow(AffineExpr row) {
  AffineExpr first = row * columns;
  Sweep sweep(emitter,
              {first, columns, Value(),
               OpFoldResult(emitter.getBuilder().getIndexAttr(columns))});
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    if (i == turned.number) {
      continue;
    }
    if (Value lane = sweep.lane(result)) {
      sweep.store(lane, emitter.getResultBuffer(i), first,
                  emitter.getStoring(i));
    }
  }
  sweep.finish();
}

/// The tile's rows from `row` on, which are neighbours in the transposed order.
void TurnedKernel::turn(AffineExpr row) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  IndexArithmetic indices(builder, loc);
  Value source = emitter.getResultBuffer(turned.source);
  Value result = emitter.getResultBuffer(turned.number);
  auto vector = VectorType::get(
      side, cast<MemRefType>(source.getType()).getElementType());
  Value from = emitter.materialize(row * columns);
  Value to =
      emitter.materialize(emitter.through(turned.view.back, row * columns));
  int64_t apart = turned.view.resultColumns();
  emitter.forEach(
      emitter.index(0), emitter.index(columns), side, [&](Value column) {
        SmallVector<Value> block;
        for (int64_t i = 0; i < side; ++i) {
          Value at = indices.add(indices.add(from, column), i * columns);
          block.push_back(
              vector::LoadOp::create(builder, loc, vector, source, at));
        }
        block = transposeSquare(builder, loc, std::move(block));
        for (auto [i, each] : llvm::enumerate(block)) {
          Value place = indices.mul(indices.add(column, i), apart);
          vector::StoreOp::create(builder, loc, each, result,
                                  indices.add(to, place));
        }
      });
}

void TurnedKernel::emit() {
  int64_t most = turned.view.getSide(llvm::bit_ceil(uint64_t(side)));
  if (side != most) {
    emitter.emitError(emitter.getKernel())
        << "expected tiles of at most " << most
        << " rows, which are turned at once, got " << side;
    return;
  }
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    AffineExpr first = emitter.dimension(tile) * side;
    emitter.forEach(emitter.index(0), emitter.index(side), 1, [&](Value row) {
      emitRow(first + emitter.dimension(row));
    });
    turn(first);
  });
}

void accel::emitTurnedKernel(KernelEmitter &emitter,
                             const TurnedResult &turned) {
  TurnedKernel(emitter, turned).emit();
}
