// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouped products of any types and sizes, by a multiplication and an addition
// at a time: a warp has a block of 16 by 64 sums, a thread four by eight of
// them, in registers.
//
//   for a slice of the rows, 64 columns of a matrix:
//     for 16 rows of the slice that chose it: result[row] = row * columns
//   for 16 rows and 64 columns of a sum of outer products:
//     for each row that chose it: sums += left[row] * right[row]
//
// Every sum is one chain of fused operations in ascending order, as on CPUs,
// and begins with what is there if it is added to that.
#include "passes/Lower/Cuda/GroupedWarp.h"

using namespace mlir;
using namespace accel;

namespace {

/// Neighbouring columns of a row that a thread has; of some that do not exist
/// the last one is read.
class ColumnRun {
public:
  using Values = SmallVector<Value>;

  /// From column `first` on, a multiple of `count`, of rows of `columns`.
  ColumnRun(const IndexArithmetic &indices, Value first, int64_t count,
            int64_t columns)
      : indices(indices), count(count), isWhole(columns % count == 0) {
    for (int64_t i = 0; i < count; ++i) {
      Value column = indices.add(first, i);
      there.push_back(indices.isBelow(column, indices.index(columns)));
      Value last = indices.index(isWhole ? columns - count + i : columns - 1);
      places.push_back(indices.min(column, last));
    }
  }

  /// Where a column that exists lies in its row.
  Value getPlace(int64_t i) const { return places[i]; }
  /// Whether the first exists.
  Value isThere() const { return there.front(); }

  Values load(const GroupedMemory &memory, Value row) const {
    if (isWhole) {
      return memory.load(indices.add(row, places.front()), count, count);
    }
    Values all;
    for (Value place : places) {
      llvm::append_range(all, memory.load(indices.add(row, place), 1, 1));
    }
    return all;
  }

  /// Requires: the first exists.
  void store(KernelEmitter &emitter, const GroupedMemory &memory, Value row,
             ArrayRef<Value> values) const {
    if (isWhole) {
      return memory.store(values, indices.add(row, places.front()), count);
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      emitter.onlyIf(there[i], [&, i = i, value = value] {
        memory.store(value, indices.add(row, places[i]), 1);
      });
    }
  }

private:
  IndexArithmetic indices;
  int64_t count;
  bool isWhole; ///< all of them exist, or none
  Values there, places;
};

/// Rows and columns of a thread, and summed elements that it reads at once.
constexpr int64_t kThreadRows = 4, kThreadColumns = 8, kDepth = 4;
constexpr int64_t kThreadsOfRow = GroupedWarpTiles::kColumns / kThreadColumns;
constexpr int64_t kSums = kThreadRows * kThreadColumns;

class WarpKernel : public GroupedWarp {
public:
  WarpKernel(KernelEmitter &emitter, Operation *op,
             ArrayRef<int64_t> alignments)
      : GroupedWarp(emitter, op, alignments) {
    if (tiles.isOuter) {
      kept = makeNumbers(kSums);
    }
    Value thread = WarpOps(builder, loc).threadIndex();
    row = indices.mul(indices.div(thread, kThreadsOfRow), kThreadRows);
    column = indices.mul(indices.rem(thread, kThreadsOfRow), kThreadColumns);
  }

  void emit() {
    forEachTile([&](const Tile &tile) {
      tiles.isOuter ? emitOuter(tile) : emitProducts(tile);
    });
  }

private:
  /// A row of results: which one, and whether it is one of those found.
  struct Row {
    Value number, isThere;
  };

  void emitProducts(const Tile &tile);
  void emitRows(const Tile &tile, const ColumnRun &columns,
                const FoundRows &found);
  Values multiply(const Tile &tile, const ColumnRun &columns,
                  ArrayRef<Row> rows, Value k, int64_t depth, Values sums);
  SmallVector<Values> loadWeights(const Tile &tile, const ColumnRun &columns,
                                  Value k, int64_t depth);
  void emitOuter(const Tile &tile);
  /// sums += left right, of each row and column of the thread.
  void add(Values &sums, ArrayRef<Value> left, ArrayRef<Value> right) const;

  Value row, column; ///< the thread's first ones in a block
  Values kept;       ///< sums of outer products
};

} // namespace

void WarpKernel::add(Values &sums, ArrayRef<Value> left,
                     ArrayRef<Value> right) const {
  for (auto [i, x] : llvm::enumerate(left)) {
    for (auto [j, y] : llvm::enumerate(right)) {
      Value &sum = sums[i * kThreadColumns + j];
      sum = m.fma(x, y, sum);
    }
  }
}

//===----------------------------------------------------------------------===//
// Rows times matrices
//===----------------------------------------------------------------------===//

void WarpKernel::emitProducts(const Tile &tile) {
  ColumnRun columns(indices, indices.add(tile.column, column), kThreadColumns,
                    tiles.columns);
  forEachRows(tile, GroupedWarpTiles::kRows,
              [&](const FoundRows &found) { emitRows(tile, columns, found); });
}

void WarpKernel::emitRows(const Tile &tile, const ColumnRun &columns,
                          const FoundRows &found) {
  SmallVector<Row> rows;
  Values sums;
  auto placeOf = [&](const Row &each) {
    return indices.mul(each.number, tiles.columns);
  };
  for (int64_t i = 0; i < kThreadRows; ++i) {
    Value place = indices.add(row, i);
    Value isFound = indices.isBelow(place, found.getCount());
    rows.push_back(
        {found.getRow(place), indices.both(isFound, columns.isThere())});
  }
  for (const Row &each : rows) {
    llvm::append_range(sums, loadInitial(each.isThere, kThreadColumns, [&] {
                         return columns.load(result, placeOf(each));
                       }));
  }
  int64_t whole = tiles.inner / kDepth * kDepth;
  for (auto [first, last, depth] :
       {std::tuple(int64_t(0), whole, kDepth),
        std::tuple(whole, tiles.inner, int64_t(1))}) {
    sums = loop(first, last, depth, sums,
                [&, depth = depth](Value k, Values before) {
                  return multiply(tile, columns, rows, k, depth, before);
                });
  }
  for (auto [i, each] : llvm::enumerate(rows)) {
    emitter.onlyIf(each.isThere, [&, i = i, &each = each] {
      columns.store(emitter, result, placeOf(each),
                    ArrayRef(sums).slice(i * kThreadColumns, kThreadColumns));
    });
  }
}

/// `depth` elements of rows and weights from `k` on.
WarpKernel::Values WarpKernel::multiply(const Tile &tile,
                                        const ColumnRun &columns,
                                        ArrayRef<Row> rows, Value k,
                                        int64_t depth, Values sums) {
  int64_t step = depth == 1 ? 1 : llvm::MinAlign(depth, tiles.inner);
  SmallVector<Values> left;
  for (const Row &each : rows) {
    Value at = indices.add(indices.mul(each.number, tiles.inner), k);
    left.push_back(lhs.load(at, depth, step));
  }
  SmallVector<Values> right = loadWeights(tile, columns, k, depth);
  for (int64_t i = 0; i < depth; ++i) {
    Values of =
        llvm::map_to_vector(left, [&](Values &each) { return each[i]; });
    add(sums, of, right[i]);
  }
  return sums;
}

/// For each of the elements the columns of the thread.
SmallVector<WarpKernel::Values>
WarpKernel::loadWeights(const Tile &tile, const ColumnRun &columns, Value k,
                        int64_t depth) {
  SmallVector<Values> weights(depth);
  if (!tiles.isTurned) {
    for (int64_t i = 0; i < depth; ++i) {
      Value at = indices.mul(indices.add(k, i), tiles.columns);
      weights[i] = columns.load(rhs, indices.add(tile.begin, at));
    }
    return weights;
  }
  int64_t step = depth == 1 ? 1 : llvm::MinAlign(depth, tiles.inner);
  for (int64_t j = 0; j < kThreadColumns; ++j) {
    Value at = indices.mul(columns.getPlace(j), tiles.inner);
    Values of =
        rhs.load(indices.add(indices.add(tile.begin, at), k), depth, step);
    for (int64_t i = 0; i < depth; ++i) {
      weights[i].push_back(of[i]);
    }
  }
  return weights;
}

//===----------------------------------------------------------------------===//
// Sums of outer products
//===----------------------------------------------------------------------===//

void WarpKernel::emitOuter(const Tile &tile) {
  Value firstRow = indices.add(tile.row, row);
  ColumnRun left(indices, firstRow, kThreadRows, tiles.inner);
  ColumnRun right(indices, indices.add(tile.column, column), kThreadColumns,
                  tiles.columns);
  SmallVector<Row> rows;
  for (int64_t i = 0; i < kThreadRows; ++i) {
    Value number = indices.add(firstRow, i);
    Value isThere = indices.both(
        indices.isBelow(number, indices.index(tiles.inner)), right.isThere());
    Value at = indices.add(tile.begin, indices.mul(number, tiles.columns));
    rows.push_back({at, isThere});
    set(ArrayRef(kept).slice(i * kThreadColumns, kThreadColumns),
        loadInitial(isThere, kThreadColumns,
                    [&] { return right.load(result, at); }));
  }
  forEachRows(tile, kWarpThreads, [&](const FoundRows &found) {
    emitter.forEach(indices.index(0), found.getCount(), 1, [&](Value place) {
      Value number = found.getRow(place);
      Values sums = get(kept);
      add(sums, left.load(lhs, indices.mul(number, tiles.inner)),
          right.load(rhs, indices.mul(number, tiles.columns)));
      set(kept, sums);
    });
  });
  for (auto [i, each] : llvm::enumerate(rows)) {
    Values sums = get(ArrayRef(kept).slice(i * kThreadColumns, kThreadColumns));
    emitter.onlyIf(each.isThere, [&, &each = each] {
      right.store(emitter, result, each.number, sums);
    });
  }
}

void accel::emitGroupedWarpKernel(KernelEmitter &emitter, Operation *op,
                                  ArrayRef<int64_t> alignments) {
  WarpKernel kernel(emitter, op, alignments);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
