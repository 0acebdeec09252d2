// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of rows that store one result in transposed order as well: a tile's
// rows are computed first, and then what they have stored, which is still in
// the first cache, is turned block by block.
//
//   for each row of the tile:        one sweep
//   for each 16 of its columns:
//     for each 16 rows of the tile:  vectors of 16 elements, turned
//
// Rows of the transposed result may be a power of two apart, and meet in few
// sets of the caches: so lines are written whole, one behind the other.
#include "passes/Analysis/TurnedResult.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
      : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
        turned(turned), columns(turned.view.sourceColumns()),
        rows(emitter.getGeometry().getTile()),
        side(turned.view.getSide(kLongestSide)) {}

  void emit();

private:
  /// Of bytes, as many as a vector of every processor has.
  static constexpr int64_t kLongestSide = 16;

  void emitRow(AffineExpr row);
  void turnTile(AffineExpr row);
  void turnBlock(Value from, Value to);

  KernelEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  const TurnedResult &turned;
  int64_t columns, rows, side;
};

} // namespace

void TurnedKernel::emitRow(AffineExpr row) {
  AffineExpr first = row * columns;
  Sweep sweep(emitter, {first, columns, Value(),
                        OpFoldResult(builder.getIndexAttr(columns))});
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

/// The block that begins at element `from` of the source's buffer and at
/// element `to` of the result's.
void TurnedKernel::turnBlock(Value from, Value to) {
  IndexArithmetic indices(builder, loc);
  Value source = emitter.getResultBuffer(turned.source);
  Value result = emitter.getResultBuffer(turned.number);
  auto vector = VectorType::get(
      side, cast<MemRefType>(source.getType()).getElementType());
  SmallVector<Value> block;
  for (int64_t i = 0; i < side; ++i) {
    block.push_back(vector::LoadOp::create(builder, loc, vector, source,
                                           indices.add(from, i * columns)));
  }
  block = transposeSquare(builder, loc, std::move(block));
  for (auto [i, each] : llvm::enumerate(block)) {
    Value place = indices.add(to, i * turned.view.resultColumns());
    vector::StoreOp::create(builder, loc, each, result, place);
  }
}

/// The tile's rows from `row` on, which are neighbours in the transposed order.
void TurnedKernel::turnTile(AffineExpr row) {
  IndexArithmetic indices(builder, loc);
  Value from = emitter.materialize(row * columns);
  Value to =
      emitter.materialize(emitter.through(turned.view.back, row * columns));
  int64_t apart = turned.view.resultColumns();
  emitter.forEach(
      emitter.index(0), emitter.index(columns), side, [&](Value column) {
        Value first = indices.add(from, column);
        Value place = indices.add(to, indices.mul(column, apart));
        emitter.forEach(
            emitter.index(0), emitter.index(rows), side, [&](Value each) {
              turnBlock(indices.add(first, indices.mul(each, columns)),
                        indices.add(place, each));
            });
      });
}

void TurnedKernel::emit() {
  if (rows % side != 0 || turned.view.places.sizes.back() % rows != 0) {
    emitter.emitError(emitter.getKernel())
        << "expected tiles of a multiple of " << side
        << " rows, which are turned at once, that divides the "
        << turned.view.places.sizes.back()
        << " rows that are neighbours in transposed order, got " << rows;
    return;
  }
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    AffineExpr first = emitter.dimension(tile) * rows;
    emitter.forEach(emitter.index(0), emitter.index(rows), 1, [&](Value row) {
      emitRow(first + emitter.dimension(row));
    });
    turnTile(first);
  });
}

void accel::emitTurnedKernel(KernelEmitter &emitter,
                             const TurnedResult &turned) {
  TurnedKernel(emitter, turned).emit();
}
