// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sweep for each row.
#include "passes/Lower/Cpu/ProductEpilogue.h"

#include "passes/Lower/Loops/Sweep.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

bool ProductEpilogue::isEmpty() const {
  return llvm::all_of(emitter.getResults(),
                      [&](Value value) { return value == product; });
}

void ProductEpilogue::emit(const ProductRange &rows,
                           const ProductRange &columns, AffineExpr firstRow,
                           const ProductMatrix &sums) const {
  emitter.forEach(rows.first, rows.last, 1, [&](Value row) {
    Value place = tiles.keepsSums
                      ? keptRow(sums, t.sub(row, rows.first), columns.count(t))
                      : sums.buffer;
    emitRow(firstRow + emitter.dimension(row), columns, place);
  });
}

/// The `count` sums of a row that the workspace has.
Value ProductEpilogue::keptRow(const ProductMatrix &sums, Value row,
                               Value count) const {
  OpBuilder &builder = emitter.getBuilder();
  Value first = t.add(sums.at, t.mul(row, sums.stride));
  return memref::SubViewOp::create(
      builder, emitter.getLoc(), sums.buffer, ArrayRef<OpFoldResult>{first},
      ArrayRef<OpFoldResult>{OpFoldResult(count)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

/// What divides the columns of every part: vectors of so many need no tail.
/// Parts begin with whole steps of columns, and end with them or with the last.
int64_t ProductEpilogue::columnDivisor() const {
  constexpr int64_t lanes = 32;
  plan::CodeAttr geometry = emitter.getGeometry();
  int64_t step = geometry.getOf() == plan::TileKind::Columns
                     ? geometry.getTile()
                     : tiles.packedColumns;
  return tiles.columns % lanes == 0 && step % lanes == 0 ? lanes : 1;
}

void ProductEpilogue::emitRow(AffineExpr row, const ProductRange &columns,
                              Value sums) const {
  AffineExpr first = row * tiles.columns;
  Sweep sweep(emitter, {first, tiles.columns, columns.first,
                        OpFoldResult(columns.count(t)),
                        /*startsInFours=*/true, columnDivisor()});
  tiles.keepsSums ? sweep.setWhole(product, sums)
                  : sweep.setStored(product, sums);
  for (auto [i, value] : llvm::enumerate(emitter.getResults())) {
    if (value == product) {
      continue;
    }
    if (Value lane = sweep.lane(value)) {
      sweep.store(lane, emitter.getResultBuffer(i), first,
                  emitter.getStoring(i));
    }
  }
  sweep.finish();
}
