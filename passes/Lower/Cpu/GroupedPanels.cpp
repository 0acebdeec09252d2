// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The right panel has the columns of a register block one row behind the other,
// block by block: rows that are 64 columns apart would meet in a quarter of the
// sets of the first cache.
#include "passes/Lower/Cpu/GroupedPanels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

GroupedPanels::GroupedPanels(const TileCode &t, Value workspace,
                             const GroupedTiles &tiles,
                             const PackedFormat &format, int64_t vectors)
    : t(t), tiles(tiles), format(format), blockColumns(vectors * kTileLanes),
      workspace(workspace), memory(t, FloatMemory::cast(t, workspace)) {
  int64_t end = tiles.listFloats();
  listed = TileRows(t, workspace, t.index(0), 1, end, end);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Workspaces are floats: the numbers are stored as their bits.
Value GroupedPanels::list(
    Value indices, int64_t first,
    llvm::function_ref<Value(Value index)> isListed) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  auto append = [&](Value row,
                    const TileCode::Values &count) -> TileCode::Values {
    Value number = t.cast(row, builder.getI32Type());
    listed.storeScalar(
        arith::BitcastOp::create(builder, loc, builder.getF32Type(), number),
        t.index(0), count[0]);
    Value index = memref::LoadOp::create(builder, loc, indices,
                                         ValueRange{t.add(row, first)});
    Value isNext = isListed(t.cast(index, builder.getIndexType()));
    return {t.add(count[0], t.select(isNext, t.index(1), t.index(0)))};
  };
  return t.loop(t.index(0), t.index(tiles.rows), 1, {t.index(0)}, append)[0];
}

Value GroupedPanels::getListed(Value place) const {
  OpBuilder &builder = t.getBuilder();
  Value number = listed.scalar(t.index(0), place);
  return t.cast(arith::BitcastOp::create(builder, t.getLoc(),
                                         builder.getI32Type(), number),
                builder.getIndexType());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value GroupedPanels::placeRight(Value number, Value lane) const {
  Value row =
      t.add(t.mul(t.div(lane, blockColumns), GroupedTiles::kDepth), number);
  Value place = t.add(t.mul(row, blockColumns), t.rem(lane, blockColumns));
  return t.add(place, tiles.listFloats());
}

Value GroupedPanels::placeLeft(Value number) const {
  return t.add(t.mul(number, GroupedTiles::kLeftColumns),
               tiles.listFloats() + tiles.rightFloats());
}

Value GroupedPanels::placeRow(int64_t row) const {
  return t.index(tiles.listFloats() + tiles.rightFloats() +
                 row * GroupedTiles::kDepth);
}

Value GroupedPanels::getRight(Value number, Value lane, int64_t vector) const {
  return memory.load(t.add(placeRight(number, lane), vector * kTileLanes),
                     kTileLanes);
}

Value GroupedPanels::getLeft(Value number, Value column) const {
  return memory.scalar(t.add(placeLeft(number), column));
}

Value GroupedPanels::getRow(int64_t row, Value number) const {
  return memory.scalar(t.add(placeRow(row), number));
}

TileRows GroupedPanels::getSums() const {
  Value first =
      t.index(tiles.listFloats() + tiles.rightFloats() + tiles.leftFloats());
  return {t,
          workspace,
          first,
          tiles.sumRows(),
          GroupedTiles::kColumns,
          GroupedTiles::kColumns};
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static Value placeOf(const TileCode &t, const GroupedRows &source, Value row,
                     Value column) {
  return t.add(t.add(source.first, t.mul(row, source.columns)), column);
}

/// How many elements a row has from `column` on; null: as many as are read.
/// Rows are read in steps of `granule`, and a vector may have an end only if
/// rows are no multiple of that.
static Value countFrom(const TileCode &t, int64_t columns, Value column,
                       int64_t granule) {
  return columns % granule == 0
             ? Value()
             : t.max(t.sub(t.index(columns), column), t.index(0));
}

/// Unit by unit of the summed index: `body` gets the first element, and whether
/// the last one of the unit exists.
void GroupedPanels::eachUnit(
    Value depth, llvm::function_ref<void(Value k, bool isWhole)> body) const {
  if (format.elements() == 1) {
    return t.each(t.index(0), depth, 1, [&](Value k) { body(k, true); });
  }
  t.eachStep(
      depth, format.elements(), [&](Value k) { body(k, true); },
      [&](Value k, Value) { body(k, false); });
}

/// Units of the elements of `row` and of `next`, which may be null.
void GroupedPanels::packAcross(const GroupedRows &source, Value row, Value next,
                               Value column, Value number) const {
  OperandUnits units = unitsOf(source);
  t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
    Value from = t.add(column, lane);
    Value read = units.across(
        placeOf(t, source, row, from),
        next ? placeOf(t, source, next, from) : Value(), kTileLanes,
        countFrom(t, source.columns, from, GroupedTiles::kColumns), Value());
    units.store(read, memory, placeRight(number, lane), blockColumns);
  });
}

void GroupedPanels::packMatrix(const GroupedRows &source, Value column,
                               Value first, Value depth) const {
  eachUnit(depth, [&](Value k, bool isWhole) {
    Value row = t.add(first, k);
    Value next = isWhole && format.elements() > 1 ? t.add(row, 1) : Value();
    packAcross(source, row, next, column, format.packedDepth(t, k));
  });
}

void GroupedPanels::packListed(const GroupedRows &source, Value column,
                               Value first, Value depth) const {
  eachUnit(depth, [&](Value k, bool isWhole) {
    Value place = t.add(first, k);
    Value next =
        isWhole && format.elements() > 1 ? getListed(t.add(place, 1)) : Value();
    packAcross(source, getListed(place), next, column,
               format.packedDepth(t, k));
  });
}

/// Rows beyond the last are the last: their results are not stored.
void GroupedPanels::packTurned(const GroupedRows &source, Value column,
                               Value first, Value depth) const {
  OperandUnits units = unitsOf(source);
  int64_t step = kTileLanes * format.elements();
  t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
    TileCode::Values from(kTileLanes);
    for (auto [i, each] : llvm::enumerate(from)) {
      each = t.min(t.add(t.add(column, lane), static_cast<int64_t>(i)),
                   t.index(tiles.columns - 1));
    }
    t.each(t.index(0), depth, step, [&](Value k) {
      TileCode::Values block(kTileLanes);
      Value at = t.add(first, k);
      for (auto [i, each] : llvm::enumerate(block)) {
        each = units.along(placeOf(t, source, from[i], at), kTileLanes,
                           countFrom(t, source.columns, at, step), Value());
      }
      Value number = format.packedDepth(t, k);
      for (auto [i, each] : llvm::enumerate(t.transpose(block))) {
        int64_t further = static_cast<int64_t>(i) * format.width();
        units.store(each, memory, placeRight(t.add(number, further), lane),
                    blockColumns);
      }
    });
  });
}

void GroupedPanels::packLeft(const GroupedRows &source, Value column,
                             Value first, Value depth) const {
  OperandUnits units = unitsOf(source);
  Value count =
      countFrom(t, source.columns, column, GroupedTiles::kLeftColumns);
  eachUnit(depth, [&](Value k, bool isWhole) {
    Value place = t.add(first, k), next;
    Value at = placeOf(t, source, getListed(place), column);
    if (isWhole && format.elements() > 1) {
      next = placeOf(t, source, getListed(t.add(place, 1)), column);
    }
    units.store(units.across(at, next, kTileLanes, count, Value()), memory,
                placeLeft(format.packedDepth(t, k)),
                GroupedTiles::kLeftColumns);
  });
}

void GroupedPanels::packRows(const GroupedRows &source, Value place,
                             int64_t count, Value first, Value depth) const {
  OperandUnits units = unitsOf(source);
  int64_t step = kTileLanes * format.elements();
  for (int64_t i = 0; i < count; ++i) {
    Value row = getListed(t.add(place, i));
    t.each(t.index(0), depth, step, [&](Value k) {
      Value at = t.add(first, k);
      Value read = units.along(placeOf(t, source, row, at), kTileLanes,
                               countFrom(t, source.columns, at, step), Value());
      units.storeRow(read, memory,
                     t.add(placeRow(i), format.packedDepth(t, k)));
    });
  }
}
