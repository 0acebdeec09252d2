// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The right panel has the columns of a register block one row behind the other,
// block by block: rows that are 64 columns apart would meet in a quarter of the
// sets of the first cache.
#include "passes/Lower/Cpu/GroupedPanels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

GroupedPanels::GroupedPanels(const TileCode &t, Value workspace,
                             const GroupedTiles &tiles, int64_t vectors)
    : t(t), tiles(tiles), blockColumns(vectors * kTileLanes) {
  int64_t rows = GroupedTiles::kDepth, begin = tiles.listFloats();
  int64_t blocks = GroupedTiles::kColumns / blockColumns;
  listed = TileRows(t, workspace, t.index(0), 1, begin, begin);
  right = TileRows(t, workspace, t.index(begin), blocks * rows, blockColumns,
                   blockColumns);
  if (tiles.isOuter) {
    left = TileRows(t, workspace, t.index(begin + tiles.rightFloats()), rows,
                    GroupedTiles::kLeftColumns, GroupedTiles::kLeftColumns);
  }
}

/// Workspaces are floats: the numbers are stored as their bits.
Value GroupedPanels::list(const GroupedOperand &indices, Value matrix) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  auto append = [&](Value row,
                    const TileCode::Values &count) -> TileCode::Values {
    Value number = t.cast(row, builder.getI32Type());
    listed.storeScalar(
        arith::BitcastOp::create(builder, loc, builder.getF32Type(), number),
        t.index(0), count[0]);
    Value index = memref::LoadOp::create(builder, loc, indices.buffer,
                                         ValueRange{t.add(row, indices.first)});
    Value isChosen = t.isEqual(t.cast(index, builder.getIndexType()), matrix);
    return {t.add(count[0], t.select(isChosen, t.index(1), t.index(0)))};
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

Value GroupedPanels::getRightRow(Value row, Value lane) const {
  return t.add(t.mul(t.div(lane, blockColumns), GroupedTiles::kDepth), row);
}

Value GroupedPanels::getRight(Value row, Value lane, int64_t vector) const {
  return right.allLanes(getRightRow(row, lane), t.index(vector * kTileLanes));
}

void GroupedPanels::storeRight(Value lanes, Value row, Value lane) const {
  right.storeAll(lanes, getRightRow(row, lane), t.rem(lane, blockColumns));
}

/// Rows are read in steps of `granule`: a vector may have an end only if rows
/// are no multiple of that.
Value GroupedPanels::load(const TileRows &source, Value row, Value column,
                          int64_t granule) const {
  return source.getColumns() % granule == 0
             ? source.allLanes(row, column)
             : source.someLanes(row, column, t.floats().number(0.0));
}

void GroupedPanels::packMatrix(const TileRows &source, Value column,
                               Value first, Value depth) const {
  t.each(t.index(0), depth, 1, [&](Value row) {
    t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
      Value lanes = load(source, t.add(first, row), t.add(column, lane),
                         GroupedTiles::kColumns);
      storeRight(lanes, row, lane);
    });
  });
}

/// Rows beyond the last are the last: their results are not stored.
void GroupedPanels::packTurned(const TileRows &source, Value column,
                               Value first, Value depth) const {
  t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
    TileCode::Values from(kTileLanes);
    for (auto [i, each] : llvm::enumerate(from)) {
      each = t.min(t.add(t.add(column, lane), static_cast<int64_t>(i)),
                   t.index(tiles.columns - 1));
    }
    t.each(t.index(0), depth, kTileLanes, [&](Value row) {
      TileCode::Values block(kTileLanes);
      for (auto [i, each] : llvm::enumerate(block)) {
        each = load(source, from[i], t.add(first, row), kTileLanes);
      }
      block = t.transpose(block);
      for (auto [i, each] : llvm::enumerate(block)) {
        storeRight(each, t.add(row, static_cast<int64_t>(i)), lane);
      }
    });
  });
}

void GroupedPanels::packListed(const TileRows &source, Value column,
                               Value first, Value depth) const {
  t.each(t.index(0), depth, 1, [&](Value place) {
    Value row = getListed(t.add(first, place));
    t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
      Value from = t.add(column, lane);
      storeRight(load(source, row, from, GroupedTiles::kColumns), place, lane);
    });
  });
}

void GroupedPanels::packLeft(const TileRows &source, Value column, Value first,
                             Value depth) const {
  t.each(t.index(0), depth, 1, [&](Value place) {
    Value row = getListed(t.add(first, place));
    left.storeAll(load(source, row, column, GroupedTiles::kLeftColumns), place,
                  t.index(0));
  });
}
