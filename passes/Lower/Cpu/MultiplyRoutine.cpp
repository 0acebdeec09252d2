// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One register block after the other.
#include "passes/Lower/Cpu/MultiplyRoutine.h"

#include "passes/Lower/Cpu/RegisterBlock.h"
#include "passes/Lower/Routine.h"

using namespace mlir;
using namespace accel;

/// Of the summed index, one behind the other in the innermost loop.
static constexpr int64_t kSteps = 2;

namespace {

/// The sums of a register block on their way into memory.
struct BlockResult {
  const TileCode &t;
  PackedFormat format;
  FloatMemory memory;
  Value at, stride, rows, columns, adds;

  /// Asks for what `count` rows of `width` will be added to: while they are
  /// summed there is time.
  void prefetch(int64_t count, int64_t width) const {
    for (int64_t row = 0; row < count; ++row) {
      for (int64_t lane = 0; lane < width; lane += kTileLanes) {
        memory.prefetch(t.add(t.add(at, t.mul(t.index(row), stride)), lane));
      }
    }
  }

  void store(const Accumulators &sums) const {
    for (auto [i, lanes] : llvm::enumerate(sums)) {
      auto row = static_cast<int64_t>(i);
      t.onlyIf(t.isLess(t.index(row), rows), [&] { storeRow(lanes, row); });
    }
  }

private:
  Value total(Value sum, Value before) const {
    Arithmetic m = t.floats();
    return format.finishSum(t,
                            m.add(t.select(adds, before, m.number(0.0)), sum));
  }

  void storeRow(ArrayRef<Value> sums, int64_t row) const {
    for (auto [v, lanes] : llvm::enumerate(sums)) {
      Value sum = lanes;
      int64_t lane = static_cast<int64_t>(v) * kTileLanes;
      Value place = t.add(t.add(at, t.mul(t.index(row), stride)), lane);
      auto whole = [&] {
        memory.store(total(sum, memory.load(place, kTileLanes)), place);
      };
      auto rest = [&] {
        Value left = t.max(t.sub(columns, t.index(lane)), t.index(0));
        Value before = memory.loadSome(place, kTileLanes, left);
        memory.storeSome(total(sum, before), place, left);
      };
      t.onlyIf(t.isLess(t.index(lane + kTileLanes - 1), columns), whole, rest);
    }
  }
};

/// A register block of packed rows, from `lhs` on, by a panel.
struct PackedBlock {
  const TileCode &t;
  PackedFormat format;
  FloatMemory packed;
  int64_t rows, columns;
  Value lhs, panel, depth;

  void multiply(const BlockResult &result) const {
    result.prefetch(rows, columns);
    auto scalarAt = [&](int64_t row, Value k) {
      return packed.scalar(t.add(t.add(lhs, t.mul(k, rows)), row));
    };
    auto lanesAt = [&](Value k, int64_t vector) {
      Value row = t.add(panel, t.mul(k, columns));
      return packed.load(t.add(row, vector * kTileLanes), kTileLanes);
    };
    emitRegisterBlock(t,
                      {rows, columns / kTileLanes, t.index(0), depth,
                       /*isWhole=*/false, scalarAt, lanesAt,
                       [&](int64_t, int64_t) { return t.floats().number(0.0); },
                       [&](Accumulators &sums) { result.store(sums); }, kSteps,
                       [&](Value x, Value lanes, Value sum) {
                         return format.multiplyAdd(t, x, lanes, sum);
                       }});
  }
};

} // namespace

struct MultiplyRoutine::Arguments {
  Value packed, lhsAt, rhsAt, panelStride, depth;
  Value result, resultAt, resultStride;
  Value rows, columns, adds;

  auto fields() {
    return std::tie(packed, lhsAt, rhsAt, panelStride, depth, result, resultAt,
                    resultStride, rows, columns, adds);
  }
};

void MultiplyRoutine::multiply(const TileCode &t, const PackedProduct &product,
                               const ProductMatrix &result, Value adds) const {
  Arguments arguments{.packed = FloatMemory::cast(t, product.packed),
                      .lhsAt = product.lhsAt,
                      .rhsAt = product.rhsAt,
                      .panelStride = product.panelStride,
                      .depth = product.depth,
                      .result = FloatMemory::cast(t, result.buffer),
                      .resultAt = result.at,
                      .resultStride = result.stride,
                      .rows = product.rows,
                      .columns = product.columns,
                      .adds = adds};
  std::string name = "product.multiply";
  if (format.isPaired()) {
    name += format.getPackedSuffix();
  }
  callRoutine<Arguments>(t.getBuilder(), t.getLoc(), module, name, arguments,
                         [&](OpBuilder &inside, const Arguments &a) {
                           write(TileCode(inside, t.getLoc()), a);
                         });
}

void MultiplyRoutine::write(const TileCode &t, const Arguments &a) const {
  FloatMemory packed(t, a.packed), result(t, a.result);
  t.each(t.index(0), a.columns, block.columns, [&](Value column) {
    Value panel =
        t.add(a.rhsAt, t.mul(t.div(column, block.columns), a.panelStride));
    t.each(t.index(0), a.rows, block.rows, [&](Value row) {
      PackedBlock registers{
          t,          format,        packed,
          block.rows, block.columns, t.add(a.lhsAt, t.mul(row, a.depth)),
          panel,      a.depth};
      Value place =
          t.add(t.add(a.resultAt, t.mul(row, a.resultStride)), column);
      registers.multiply({t, format, result, place, a.resultStride,
                          t.sub(a.rows, row), t.sub(a.columns, column),
                          a.adds});
    });
  });
}
