// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of some rows and two vectors, then of one row.
#include "passes/Lower/Cpu/GroupedSums.h"

#include "passes/Lower/Cpu/RegisterBlock.h"
#include "passes/Target/Cpu/GroupedTiles.h"

using namespace mlir;
using namespace accel;

void GroupedSums::eachPart(
    Value count, int64_t most, const Storing &storing,
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

void GroupedSums::eachBlock(
    Value count, llvm::function_ref<void(int64_t, Value, Value)> body) const {
  int64_t height = 4 * vectors;
  t.each(GroupedTiles::kColumns, vectors * kTileLanes, [&](Value lane) {
    Value middle = t.mul(t.div(count, height), height);
    t.each(t.index(0), middle, height,
           [&](Value first) { body(height, first, lane); });
    t.each(middle, count, 1, [&](Value first) { body(1, first, lane); });
  });
}

void GroupedSums::emit(
    const GroupedResult &result, Value depth,
    llvm::function_ref<Value(int64_t row, Value number)> scalarAt,
    llvm::function_ref<Value(Value number, int64_t vector)> lanesAt) const {
  const TileRows &target = result.target;
  Value zero = t.floats().number(0.0);
  auto columnOf = [&](int64_t v) {
    return t.add(result.column, v * kTileLanes);
  };
  auto getInitial = [&](int64_t row, int64_t v) {
    if (!result.storing.adds) {
      return zero;
    }
    Value there = result.isWhole
                      ? target.allLanes(result.rows[row], columnOf(v))
                      : target.someLanes(result.rows[row], columnOf(v), zero);
    return emitIfKept(t.getBuilder(), t.getLoc(), result.storing, there);
  };
  auto store = [&](Accumulators &block) {
    for (auto [row, sums] : llvm::zip_equal(result.rows, block)) {
      for (auto [v, each] : llvm::enumerate(sums)) {
        Value column = columnOf(static_cast<int64_t>(v));
        Value sum = format.finishSum(t, each);
        result.isWhole ? target.storeAll(sum, row, column)
                       : target.storeSome(sum, row, column);
      }
    }
  };
  emitRegisterBlock(t, {.rows = static_cast<int64_t>(result.rows.size()),
                        .vectors = vectors,
                        .first = t.index(0),
                        .last = format.packedDepth(t, depth),
                        .isWhole = false,
                        .scalarAt = scalarAt,
                        .lanesAt = lanesAt,
                        .initial = getInitial,
                        .finish = store,
                        .multiplyAdd = [&](Value x, Value lanes, Value sum) {
                          return format.multiplyAdd(t, x, lanes, sum);
                        }});
}
