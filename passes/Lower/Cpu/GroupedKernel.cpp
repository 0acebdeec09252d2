// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose: a tile looks up
// which rows have chosen its matrix, and takes these in ascending order.
//
// With the sizes of AVX-512:
//
//   for a matrix and 64 of its columns:
//     list the rows whose index is the matrix
//     grouped_matmul, for 256 elements of a row:
//       pack these rows of the columns
//       for 32 columns, for 8 rows of the list: result[row] += row * columns
//     grouped_outer, for 256 rows of the list:
//       pack 64 columns of the right side
//       for 16 rows of the matrix:
//         pack these columns of the left side
//         for 32 columns, for 8 rows: result += left[row] * right
//
// A matrix is packed once for all of its rows, and nobody copies it for one of
// them. Every sum is one chain in ascending order, whoever computes the tile,
// and begins with what is there if it is added to that.
#include "passes/Lower/Cpu/GroupedKernel.h"

#include "passes/Lower/Cpu/GroupedPanels.h"
#include "passes/Lower/Cpu/RegisterBlock.h"

using namespace mlir;
using namespace accel;

namespace {

/// A tile, and which rows have chosen its matrix.
struct GroupedTile {
  Value matrix, column; ///< the first column
  Value count;          ///< rows in the list
};

/// What is packed of the summed index at a time, and how its sums meet what is
/// there.
struct DepthPart {
  Value first, depth;
  Storing storing;
};

/// Rows of the result, their columns from `column` on.
struct GroupedResult {
  TileRows target;
  Storing storing;
  SmallVector<Value> rows;
  Value column;
};

class GroupedKernel {
public:
  GroupedKernel(KernelEmitter &emitter, Operation *op)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
        tiles(GroupedTiles::get(op)), storing(emitter.getStoring(0)),
        vectors(emitter.getGeometry().getVectors() > 1 ? 2 : 1),
        panels(t, emitter.getWorkspace(), tiles, vectors) {
    for (auto [i, operand] : llvm::enumerate(operands)) {
      operand.buffer =
          emitter.getContiguous(op, op->getOperand(i), operand.first);
    }
  }

  void emit();

private:
  void emitProducts(const GroupedTile &tile);
  void packWeights(const GroupedTile &tile, const DepthPart &part);
  void emitOuter(const GroupedTile &tile);
  void eachDepth(Value count, int64_t most,
                 llvm::function_ref<void(const DepthPart &)> body) const;
  TileRows getResult(Value first, int64_t rows) const {
    return {t,
            emitter.getResultBuffer(0),
            first,
            rows,
            tiles.columns,
            tiles.columns};
  }
  /// Calls `body(height, first, lane)` for groups of some of `count` rows, and
  /// for the vectors of a register block of the 64 columns.
  void eachBlock(Value count,
                 llvm::function_ref<void(int64_t, Value, Value)> body) const;
  /// Writes the sums over `[0, last)` that `result` is.
  void emitSums(const GroupedResult &result, Value last,
                llvm::function_ref<Value(int64_t row, Value k)> scalarAt,
                llvm::function_ref<Value(Value k, int64_t vector)> lanesAt);
  bool isWhole() const { return tiles.columns % GroupedTiles::kColumns == 0; }

  KernelEmitter &emitter;
  TileCode t;
  GroupedTiles tiles;
  Storing storing;
  int64_t vectors; ///< of a register block
  GroupedPanels panels;
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
    tile.count = panels.list(operands[2], tile.matrix);
    if (tiles.isOuter) {
      return emitOuter(tile);
    }
    t.onlyIf(t.isLess(t.index(0), tile.count), [&] { emitProducts(tile); });
  });
}

/// The results of the rows of the list.
void GroupedKernel::emitProducts(const GroupedTile &tile) {
  TileRows rows = operands[0].getRows(t, t.index(0), tiles.rows, tiles.inner);
  GroupedResult result{getResult(t.index(0), tiles.rows), {}, {}, Value()};
  eachDepth(t.index(tiles.inner), tiles.inner, [&](const DepthPart &part) {
    packWeights(tile, part);
    result.storing = part.storing;
    eachBlock(tile.count, [&](int64_t height, Value place, Value lane) {
      result.rows.clear();
      for (int64_t i = 0; i < height; ++i) {
        result.rows.push_back(panels.getListed(t.add(place, i)));
      }
      result.column = t.add(tile.column, lane);
      emitSums(
          result, part.depth,
          [&](int64_t row, Value k) {
            return rows.scalar(result.rows[row], t.add(part.first, k));
          },
          [&](Value k, int64_t v) { return panels.getRight(k, lane, v); });
    });
  });
}

void GroupedKernel::packWeights(const GroupedTile &tile,
                                const DepthPart &part) {
  Value first = t.mul(tile.matrix, tiles.inner * tiles.columns);
  if (tiles.isTurned) {
    return panels.packTurned(
        operands[1].getRows(t, first, tiles.columns, tiles.inner), tile.column,
        part.first, part.depth);
  }
  panels.packMatrix(operands[1].getRows(t, first, tiles.inner, tiles.columns),
                    tile.column, part.first, part.depth);
}

/// The sums of the outer products of the rows of the list; zeros if it has
/// none.
void GroupedKernel::emitOuter(const GroupedTile &tile) {
  TileRows lhs = operands[0].getRows(t, t.index(0), tiles.rows, tiles.inner);
  TileRows rhs = operands[1].getRows(t, t.index(0), tiles.rows, tiles.columns);
  Value begin = t.mul(tile.matrix, tiles.inner * tiles.columns);
  GroupedResult result{getResult(begin, tiles.inner), {}, {}, Value()};
  eachDepth(tile.count, tiles.rows, [&](const DepthPart &part) {
    panels.packListed(rhs, tile.column, part.first, part.depth);
    result.storing = part.storing;
    t.each(tiles.inner, GroupedTiles::kLeftColumns, [&](Value row) {
      panels.packLeft(lhs, row, part.first, part.depth);
      Value rows = t.min(t.sub(t.index(tiles.inner), row),
                         t.index(GroupedTiles::kLeftColumns));
      eachBlock(rows, [&](int64_t height, Value from, Value lane) {
        result.rows.clear();
        for (int64_t i = 0; i < height; ++i) {
          result.rows.push_back(t.add(row, t.add(from, i)));
        }
        result.column = t.add(tile.column, lane);
        emitSums(
            result, part.depth,
            [&](int64_t i, Value place) {
              return panels.getLeft(place, t.add(from, i));
            },
            [&](Value place, int64_t v) {
              return panels.getRight(place, lane, v);
            });
      });
    });
  });
}

/// Parts of a summed index that has `count` elements, `most` at most, and one
/// part if it has none. Sums of a later part are added to those in front.
void GroupedKernel::eachDepth(
    Value count, int64_t most,
    llvm::function_ref<void(const DepthPart &)> body) const {
  Value zero = t.index(0), depth = t.index(GroupedTiles::kDepth);
  if (most <= GroupedTiles::kDepth) {
    return body({zero, count, storing});
  }
  Value end = t.max(count, t.index(1));
  t.each(zero, end, GroupedTiles::kDepth, [&](Value first) {
    Value isLater = t.isLess(zero, first);
    Storing added{true, isLater};
    if (storing.adds) {
      added.kept =
          storing.kept ? t.select(isLater, isLater, storing.kept) : Value();
    }
    body({first, t.min(t.sub(count, first), depth), added});
  });
}

void GroupedKernel::eachBlock(
    Value count, llvm::function_ref<void(int64_t, Value, Value)> body) const {
  int64_t height = 4 * vectors;
  t.each(GroupedTiles::kColumns, vectors * kTileLanes, [&](Value lane) {
    Value middle = t.mul(t.div(count, height), height);
    t.each(t.index(0), middle, height,
           [&](Value first) { body(height, first, lane); });
    t.each(middle, count, 1, [&](Value first) { body(1, first, lane); });
  });
}

void GroupedKernel::emitSums(
    const GroupedResult &result, Value last,
    llvm::function_ref<Value(int64_t row, Value k)> scalarAt,
    llvm::function_ref<Value(Value k, int64_t vector)> lanesAt) {
  const TileRows &target = result.target;
  Value zero = t.floats().number(0.0);
  auto columnOf = [&](int64_t v) {
    return t.add(result.column, v * kTileLanes);
  };
  auto getInitial = [&](int64_t row, int64_t v) {
    if (!result.storing.adds) {
      return zero;
    }
    Value there = isWhole()
                      ? target.allLanes(result.rows[row], columnOf(v))
                      : target.someLanes(result.rows[row], columnOf(v), zero);
    return emitIfKept(t.getBuilder(), t.getLoc(), result.storing, there);
  };
  auto store = [&](Accumulators &block) {
    for (auto [row, sums] : llvm::zip_equal(result.rows, block)) {
      for (auto [v, sum] : llvm::enumerate(sums)) {
        Value column = columnOf(static_cast<int64_t>(v));
        isWhole() ? target.storeAll(sum, row, column)
                  : target.storeSome(sum, row, column);
      }
    }
  };
  emitRegisterBlock(t, {static_cast<int64_t>(result.rows.size()), vectors,
                        t.index(0), last, /*isWhole=*/false, scalarAt, lanesAt,
                        getInitial, store});
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
  Type element = elementTypeOf(op->getResult(0));
  if (!element.isF32()) {
    emitter.emitError(op) << "expected a grouped product of f32, got one of "
                          << element
                          << ": gather the matrices and multiply those";
    return;
  }
  if (checkGeometry(emitter, op)) {
    GroupedKernel(emitter, op).emit();
  }
}
