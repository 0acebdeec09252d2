// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies row by row, run by run.
#include "passes/Lower/Cpu/WindowCopy.h"

#include "passes/Lower/Cpu/FloatMemory.h"
#include "passes/Lower/ViewPlace.h"

using namespace mlir;
using namespace accel;

static void copyRun(const TileCode &t, Value from, Value source, Value to,
                    Value target, Value count) {
  FloatMemory read(t, from), write(t, to);
  t.eachStep(
      count, kTileLanes,
      [&](Value i) {
        write.store(read.load(t.add(source, i), kTileLanes), t.add(target, i));
      },
      [&](Value i, Value rest) {
        write.storeSome(read.loadSome(t.add(source, i), kTileLanes, rest),
                        t.add(target, i), rest);
      });
}

void accel::copyWindows(const TileCode &t, const WindowMatrix &windows,
                        const ProductMatrix &from, const ProductRange &rows,
                        const ProductRange &columns, const ProductMatrix &to) {
  int64_t run = windows.getRun();
  AffineView outer =
      windows.columns.dimensions(0, windows.columns.sizes.size() - 1);
  t.each(rows.first, rows.last, 1, [&](Value row) {
    Value source = t.add(from.at, getPlace(t, windows.rows, row));
    Value target = t.add(to.at, t.mul(t.sub(row, rows.first), to.stride));
    Value behind = t.add(columns.last, run - 1);
    t.each(t.div(columns.first, run), t.div(behind, run), 1, [&](Value number) {
      Value begin = t.mul(number, run);
      Value first = t.max(columns.first, begin);
      Value last = t.min(columns.last, t.add(begin, run));
      Value place =
          t.add(t.add(source, getPlace(t, outer, number)), t.sub(first, begin));
      copyRun(t, from.buffer, place, to.buffer,
              t.add(target, t.sub(first, columns.first)), t.sub(last, first));
    });
  });
}
