// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose: a tile looks up
// which rows have chosen its matrix, and takes these in ascending order.
//
// With the sizes of AVX-512:
//
//   for a matrix and 64 of its columns:
//     list the rows whose index is the matrix
//     grouped_matmul, of the first matrix: result[row] = 0 where none is chosen
//     grouped_matmul, for 256 elements of a row:
//       pack these rows of the columns
//       for 32 columns, for 8 rows of the list: result[row] += row * columns
//     grouped_matmul of 16 bits, for 256 rows of the list:
//       for 256 elements of a row:
//         pack these rows of the columns
//         for 32 columns, for 8 rows of the list:
//           pack these rows
//           sums[row] += row * columns
//       for these rows: result[row] = sums[row], rounded
//     grouped_outer, for 256 rows of the list:
//       pack 64 columns of the right side
//       for 16 rows of the matrix:
//         pack these columns of the left side
//         for 32 columns, for 8 rows: result += left[row] * right
//
// A matrix is packed once for all of its rows, or for 256 of them, and nobody
// copies it for one of them. Every sum is one chain in ascending order, whoever
// computes the tile, and begins with what is there if it is added to that.
#include "passes/Lower/Cpu/GroupedKernel.h"

#include "passes/Lower/Cpu/GroupedPanels.h"
#include "passes/Lower/Cpu/GroupedSums.h"

using namespace mlir;
using namespace accel;

namespace {

/// A tile, and which rows have chosen its matrix.
struct GroupedTile {
  Value matrix, column; ///< the first column
  Value count;          ///< rows in the list
};

/// An operand that lies in one piece, from element `first` of a buffer on.
struct GroupedOperand {
  Value buffer;
  int64_t first = 0;
};

class GroupedKernel {
public:
  GroupedKernel(KernelEmitter &emitter, Operation *op,
                const PackedFormat &format)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
        tiles(GroupedTiles::get(op)), vectors(getVectors(emitter)),
        panels(t, emitter.getWorkspace(), tiles, format, vectors),
        sums(t, format, vectors), result(elementTypeOf(op->getResult(0))) {
    for (auto [i, operand] : llvm::enumerate(operands)) {
      operand.buffer =
          emitter.getContiguous(op, op->getOperand(i), operand.first);
    }
  }

  void emit();

private:
  static int64_t getVectors(KernelEmitter &emitter) {
    return emitter.getGeometry().getVectors() > 1 ? 2 : 1;
  }
  Value list(llvm::function_ref<Value(Value index)> isListed) const;
  void clearOthers(const GroupedTile &tile);
  /// Stores the tile's columns of a row of the result.
  void store(const GroupedTile &tile, Value row,
             llvm::function_ref<Value(Value lane)> lanesAt) const;
  void emitProducts(const GroupedTile &tile);
  void emitRoundedProducts(const GroupedTile &tile);
  void emitSums(const GroupedTile &tile, Value place, Value count);
  void roundSums(const GroupedTile &tile, Value place, Value count);
  void packWeights(const GroupedTile &tile, const DepthPart &part);
  void emitOuter(const GroupedTile &tile);
  /// Rows of operand `i`, from its element `from` on.
  GroupedRows getRows(unsigned i, Value from, int64_t columns) const {
    return {FloatMemory::cast(t, operands[i].buffer),
            t.add(from, operands[i].first), columns};
  }
  TileRows getResult(Value first, int64_t rows) const {
    return {t,
            emitter.getResultBuffer(0),
            first,
            rows,
            tiles.columns,
            tiles.columns,
            SmallFloat::get(result)};
  }
  bool isWhole() const { return tiles.columns % GroupedTiles::kColumns == 0; }

  KernelEmitter &emitter;
  TileCode t;
  GroupedTiles tiles;
  int64_t vectors; ///< of a register block
  GroupedPanels panels;
  GroupedSums sums;
  Type result; ///< its elements
  GroupedOperand operands[3];
};

} // namespace

void GroupedKernel::emit() {
  if (emitter.hasFailed()) {
    return;
  }
  t.each(emitter.getBegin(), emitter.getEnd(), 1, [&](Value number) {
    int64_t tilesOfMatrix = tiles.tilesOfMatrix();
    GroupedTile tile{
        t.div(number, tilesOfMatrix),
        t.mul(t.rem(number, tilesOfMatrix), GroupedTiles::kColumns),
        {}};
    if (tiles.skipsOthers && !tiles.isOuter) {
      clearOthers(tile);
    }
    tile.count =
        list([&](Value index) { return t.isEqual(index, tile.matrix); });
    if (tiles.isOuter) {
      return emitOuter(tile);
    }
    if (tiles.keepsSums()) {
      return emitRoundedProducts(tile);
    }
    t.onlyIf(t.isLess(t.index(0), tile.count), [&] { emitProducts(tile); });
  });
}

Value GroupedKernel::list(
    llvm::function_ref<Value(Value index)> isListed) const {
  return panels.list(operands[2].buffer, operands[2].first, isListed);
}

/// Rows that choose no matrix are zero; nothing is added to what is there. The
/// tiles of the first matrix do it, each in its columns.
void GroupedKernel::clearOthers(const GroupedTile &tile) {
  Value isCleared = t.both(t.isEqual(tile.matrix, t.index(0)),
                           emitIsReplaced(t, emitter.getStoring(0)));
  t.onlyIf(isCleared, [&] {
    Value count = list([&](Value index) {
      return t.isNot(t.isBelow(index, t.index(tiles.matrices)));
    });
    t.each(t.index(0), count, 1, [&](Value place) {
      store(tile, panels.getListed(place),
            [&](Value) { return t.floats().number(0.0); });
    });
  });
}

void GroupedKernel::store(const GroupedTile &tile, Value row,
                          llvm::function_ref<Value(Value lane)> lanesAt) const {
  TileRows target = getResult(t.index(0), tiles.rows);
  t.each(GroupedTiles::kColumns, kTileLanes, [&](Value lane) {
    Value column = t.add(tile.column, lane), lanes = lanesAt(lane);
    isWhole() ? target.storeAll(lanes, row, column)
              : target.storeSome(lanes, row, column);
  });
}

/// The results of the rows of the list.
void GroupedKernel::emitProducts(const GroupedTile &tile) {
  TileRows rows(t, operands[0].buffer, t.index(operands[0].first), tiles.rows,
                tiles.inner, tiles.inner);
  GroupedResult target{getResult(t.index(0), tiles.rows), isWhole()};
  Storing storing = emitter.getStoring(0);
  sums.eachPart(
      t.index(tiles.inner), tiles.inner, storing, [&](const DepthPart &part) {
        packWeights(tile, part);
        target.storing = part.storing;
        sums.eachBlock(tile.count, [&](int64_t height, Value place,
                                       Value lane) {
          target.rows.clear();
          for (int64_t i = 0; i < height; ++i) {
            target.rows.push_back(panels.getListed(t.add(place, i)));
          }
          target.column = t.add(tile.column, lane);
          sums.emit(
              target, part.depth,
              [&](int64_t row, Value k) {
                return rows.scalar(target.rows[row], t.add(part.first, k));
              },
              [&](Value k, int64_t v) { return panels.getRight(k, lane, v); });
        });
      });
}

/// Those of rows of 16 bits: the sums of some rows are kept as f32 until they
/// are complete.
void GroupedKernel::emitRoundedProducts(const GroupedTile &tile) {
  int64_t step = tiles.sumRows();
  t.each(t.index(0), tile.count, step, [&](Value place) {
    Value count = t.min(t.sub(tile.count, place), t.index(step));
    emitSums(tile, place, count);
    roundSums(tile, place, count);
  });
}

/// The sums of `count` rows of the list, from `first` on.
void GroupedKernel::emitSums(const GroupedTile &tile, Value first,
                             Value count) {
  GroupedRows rows = getRows(0, t.index(0), tiles.inner);
  GroupedResult target{panels.getSums(), /*isWhole=*/true};
  sums.eachPart(
      t.index(tiles.inner), tiles.inner, Storing(), [&](const DepthPart &part) {
        packWeights(tile, part);
        target.storing = part.storing;
        sums.eachBlock(count, [&](int64_t height, Value place, Value lane) {
          panels.packRows(rows, t.add(first, place), height, part.first,
                          part.depth);
          target.rows.clear();
          for (int64_t i = 0; i < height; ++i) {
            target.rows.push_back(t.add(place, i));
          }
          target.column = lane;
          sums.emit(
              target, part.depth,
              [&](int64_t row, Value k) { return panels.getRow(row, k); },
              [&](Value k, int64_t v) { return panels.getRight(k, lane, v); });
        });
      });
}

void GroupedKernel::roundSums(const GroupedTile &tile, Value first,
                              Value count) {
  TileRows kept = panels.getSums();
  t.each(t.index(0), count, 1, [&](Value place) {
    store(tile, panels.getListed(t.add(first, place)),
          [&](Value lane) { return kept.allLanes(place, lane); });
  });
}

void GroupedKernel::packWeights(const GroupedTile &tile,
                                const DepthPart &part) {
  Value first = t.mul(tile.matrix, tiles.inner * tiles.columns);
  if (tiles.isTurned) {
    return panels.packTurned(getRows(1, first, tiles.inner), tile.column,
                             part.first, part.depth);
  }
  panels.packMatrix(getRows(1, first, tiles.columns), tile.column, part.first,
                    part.depth);
}

/// The sums of the outer products of the rows of the list; zeros if it has
/// none.
void GroupedKernel::emitOuter(const GroupedTile &tile) {
  GroupedRows lhs = getRows(0, t.index(0), tiles.inner);
  GroupedRows rhs = getRows(1, t.index(0), tiles.columns);
  Value begin = t.mul(tile.matrix, tiles.inner * tiles.columns);
  GroupedResult target{getResult(begin, tiles.inner), isWhole()};
  Storing storing = emitter.getStoring(0);
  sums.eachPart(tile.count, tiles.rows, storing, [&](const DepthPart &part) {
    panels.packListed(rhs, tile.column, part.first, part.depth);
    target.storing = part.storing;
    t.each(tiles.inner, GroupedTiles::kLeftColumns, [&](Value row) {
      panels.packLeft(lhs, row, part.first, part.depth);
      Value rows = t.min(t.sub(t.index(tiles.inner), row),
                         t.index(GroupedTiles::kLeftColumns));
      sums.eachBlock(rows, [&](int64_t height, Value from, Value lane) {
        target.rows.clear();
        for (int64_t i = 0; i < height; ++i) {
          target.rows.push_back(t.add(row, t.add(from, i)));
        }
        target.column = t.add(tile.column, lane);
        sums.emit(
            target, part.depth,
            [&](int64_t i, Value number) {
              return panels.getLeft(number, t.add(from, i));
            },
            [&](Value number, int64_t v) {
              return panels.getRight(number, lane, v);
            });
      });
    });
  });
}

/// Whether the geometry is that of the operation.
static bool checkGeometry(KernelEmitter &emitter, Operation *op) {
  plan::CodeAttr geometry = emitter.getGeometry();
  GroupedTiles tiles = GroupedTiles::get(op);
  if (geometry.getTiles() != tiles.launchTiles() || geometry.getVectors() < 1 ||
      geometry.getWorkspace() < tiles.workspaceBytes()) {
    emitter.emitError(op)
        << "expected " << tiles.launchTiles()
        << " tiles, register blocks of at least one vector and a workspace of "
        << tiles.workspaceBytes() << " bytes, got " << geometry;
    return false;
  }
  return true;
}

void accel::emitGroupedKernel(KernelEmitter &emitter, Operation *op) {
  if (!checkGeometry(emitter, op)) {
    return;
  }
  bool dots = emitter.getGeometry().getDots() != 0;
  auto format = PackedFormat::get(elementTypeOf(op->getOperand(0)), dots,
                                  /*block=*/0);
  GroupedKernel(emitter, op, *format).emit();
}
