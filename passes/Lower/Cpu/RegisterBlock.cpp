// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some steps of the loop stand one behind the other: the loop costs nothing.
#include "passes/Lower/Cpu/RegisterBlock.h"

using namespace mlir;
using namespace accel;

void accel::emitRegisterBlock(const TileCode &t, const RegisterBlock &block) {
  using Values = TileCode::Values;
  Values sums;
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int64_t v = 0; v < block.vectors; ++v) {
      sums.push_back(block.initial(row, v));
    }
  }
  auto step = [&](Value k, Values sums) {
    Values lanes;
    for (int64_t v = 0; v < block.vectors; ++v) {
      lanes.push_back(block.lanesAt(k, v));
    }
    for (int64_t row = 0; row < block.rows; ++row) {
      Value x = t.splat(block.scalarAt(row, k));
      for (int64_t v = 0; v < block.vectors; ++v) {
        Value &sum = sums[row * block.vectors + v];
        sum = block.multiplyAdd ? block.multiplyAdd(x, lanes[v], sum)
                                : t.floats().fma(x, lanes[v], sum);
      }
    }
    return sums;
  };
  auto addPart = [&](Value first, Value last, const Values &before) {
    int64_t steps = block.steps;
    Value count = t.sub(last, first);
    Value middle =
        block.isWhole ? last : t.add(first, t.mul(t.div(count, steps), steps));
    auto several = [&](Value k, Values sums) {
      for (int64_t i = 0; i < steps; ++i) {
        sums = step(t.add(k, i), sums);
      }
      return sums;
    };
    Values sums = t.loop(first, middle, steps, before, several);
    return block.isWhole ? sums : t.loop(middle, last, 1, sums, step);
  };
  sums = block.walk ? block.walk(sums, addPart)
                    : addPart(block.first, block.last, sums);
  Accumulators result(block.rows);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    result[i / block.vectors].push_back(sum);
  }
  block.finish(result);
}
