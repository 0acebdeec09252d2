// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where operands lie only changes how addresses are computed.
#include "passes/Lower/Cpu/MultipliedBlock.h"

#include "passes/Lower/ViewPlace.h"

using namespace mlir;
using namespace accel;

TileCode::Values
SummedWindows::walk(const TileCode &t, Value depth,
                    const TileCode::Values &sums, AddPart add,
                    llvm::function_ref<void(Value place)> moveTo) const {
  size_t last = rows.sizes.size() - 1;
  int64_t run = rows.sizes[last], stride = rows.strides[last];
  AffineView outer = rows.dimensions(0, last);
  Value behind = t.div(t.add(t.add(first, depth), run - 1), run);
  return t.loop(t.div(first, run), behind, 1, sums,
                [&](Value number, const TileCode::Values &sums) {
                  Value begin = t.sub(t.mul(number, run), first);
                  moveTo(
                      t.sub(getPlace(t, outer, number), t.mul(begin, stride)));
                  return add(t.max(begin, t.index(0)),
                             t.min(t.add(begin, run), depth), sums);
                });
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

Value BlockResult::placeOf(int64_t row, int64_t lane) const {
  return t.add(t.add(at, t.mul(t.index(row), stride)), lane);
}

void BlockResult::prefetch(int64_t count, int64_t width) const {
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t lane = 0; lane < width; lane += kTileLanes) {
      memory.prefetch(placeOf(row, lane));
    }
  }
}

void BlockResult::store(const Accumulators &sums) const {
  for (auto [row, vectors] : llvm::enumerate(sums)) {
    for (auto [v, sum] : llvm::enumerate(vectors)) {
      int64_t lane = static_cast<int64_t>(v) * kTileLanes;
      storeLanes(sum, placeOf(static_cast<int64_t>(row), lane), lane);
    }
  }
}

Value BlockResult::total(Value sum, Value before) const {
  Arithmetic m = t.floats();
  return format.finishSum(t, m.add(t.select(adds, before, m.number(0.0)), sum));
}

void BlockResult::storeLanes(Value sum, Value place, int64_t lane) const {
  auto whole = [&] {
    memory.store(total(sum, memory.load(place, kTileLanes)), place);
  };
  if (!columns) {
    return whole();
  }
  auto rest = [&] {
    Value left = t.max(t.sub(columns, t.index(lane)), t.index(0));
    Value before = memory.loadSome(place, kTileLanes, left);
    memory.storeSome(total(sum, before), place, left);
  };
  t.onlyIf(t.isLess(t.index(lane + kTileLanes - 1), columns), whole, rest);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void MultipliedBlock::multiply(const TileCode &t,
                               const BlockResult &result) const {
  result.prefetch(rows, columns);
  RegisterOperand right = rhs;
  auto scalarAt = [&](int64_t row, Value k) {
    return lhs.memory.scalar(lhs.placeOf(t, k, row));
  };
  auto lanesAt = [&](Value k, int64_t vector) {
    int64_t lane = vector * kTileLanes;
    if (stepsAhead) {
      right.memory.prefetch(right.placeOf(t, t.add(k, stepsAhead), lane));
    }
    return right.memory.load(right.placeOf(t, k, lane), kTileLanes);
  };
  auto zero = [&](int64_t, int64_t) { return t.floats().number(0.0); };
  auto finish = [&](Accumulators &sums) { result.store(sums); };
  auto multiplyAdd = [&](Value x, Value lanes, Value sum) {
    return format.multiplyAdd(t, x, lanes, sum);
  };
  RegisterBlock block{.rows = rows,
                      .vectors = columns / kTileLanes,
                      .first = t.index(0),
                      .last = depth,
                      .isWhole = false,
                      .scalarAt = scalarAt,
                      .lanesAt = lanesAt,
                      .initial = zero,
                      .finish = finish,
                      .steps = steps,
                      .multiplyAdd = multiplyAdd};
  auto walk = [&](const TileCode::Values &sums, AddPart add) {
    return windows->walk(t, depth, sums, add,
                         [&](Value place) { right.at = t.add(rhs.at, place); });
  };
  if (windows) {
    block.walk = walk;
  }
  emitRegisterBlock(t, block);
}
