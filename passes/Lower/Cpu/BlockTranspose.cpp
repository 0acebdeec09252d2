// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of the source's neighbours become, eight by eight, vectors of the
// result's:
//
//   for each tile, 16 rows of the result at most:
//     for each place in the dimensions between:
//       for 8 of the result's neighbours:
//         for 8 rows: load, transpose in registers, store
//
// A tile uses whole lines of the source. Dimensions that eight does not divide
// end in blocks of their own, of fewer rows or columns.
#include "passes/Lower/Cpu/BlockTranspose.h"

#include "passes/Analysis/TransposedOperand.h"
#include "passes/Lower/Cpu/FloatMemory.h"
#include "passes/Lower/ViewPlace.h"
#include "passes/Target/Cpu/CpuTarget.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Rows and columns that are transposed at once: as many vectors of AVX2 as it
/// has registers for.
static constexpr int64_t kSide = 8;

namespace {

class BlockTranspose {
public:
  BlockTranspose(KernelEmitter &emitter, const TransposedOperand &copy)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
        view(copy.view), rowsOf(copy.rowsOf), columns(copy.resultColumns()),
        blocks(llvm::divideCeil(view.sizes[rowsOf], kTransposedRows)),
        source(t, FloatMemory::cast(t, emitter.getBuffer(copy.source))),
        result(t, FloatMemory::cast(t, emitter.getResultBuffer(0))),
        storing(emitter.getStoring(0)) {}

  void emitTile(Value tile);

private:
  void emitRows(Value from, Value to, int64_t rows);
  void eachPart(int64_t size,
                llvm::function_ref<void(Value first, int64_t count)> body);
  void emitBlock(Value from, Value to, int64_t rows, int64_t across);
  void storeRow(Value lanes, Value place, int64_t across);

  KernelEmitter &emitter;
  TileCode t;
  const AffineView &view;
  size_t rowsOf;
  int64_t columns, blocks; ///< of the result's rows, of dimension `rowsOf`
  FloatMemory source, result;
  Storing storing;
};

} // namespace

void BlockTranspose::emitTile(Value tile) {
  Value outer = t.div(tile, blocks), block = t.rem(tile, blocks);
  Value row = t.mul(block, kTransposedRows);
  Value from = t.add(t.add(getPlace(t, view.dimensions(0, rowsOf), outer), row),
                     t.index(view.offset));
  Value to = t.mul(t.add(t.mul(outer, view.sizes[rowsOf]), row), columns);
  int64_t rest = view.sizes[rowsOf] % kTransposedRows;
  if (rest == 0) {
    return emitRows(from, to, kTransposedRows);
  }
  if (blocks == 1) {
    return emitRows(from, to, rest);
  }
  t.onlyIf(
      t.isEqual(block, t.index(blocks - 1)), [&] { emitRows(from, to, rest); },
      [&] { emitRows(from, to, kTransposedRows); });
}

/// Whole sides, and what is left.
void BlockTranspose::eachPart(
    int64_t size, llvm::function_ref<void(Value first, int64_t count)> body) {
  int64_t rest = size % kSide;
  if (size > rest) {
    t.each(size - rest, kSide, [&](Value first) { body(first, kSide); });
  }
  if (rest != 0) {
    body(t.index(size - rest), rest);
  }
}

void BlockTranspose::emitRows(Value from, Value to, int64_t rows) {
  int64_t last = view.sizes.back();
  AffineView between = view.dimensions(rowsOf + 1, view.sizes.size() - 1);
  t.each(columns / last, 1, [&](Value number) {
    Value begin = t.add(from, getPlace(t, between, number));
    Value end = t.add(to, t.mul(number, last));
    eachPart(last, [&](Value column, int64_t across) {
      Value place = t.add(begin, t.mul(column, view.strides.back()));
      eachPart(rows, [&](Value row, int64_t down) {
        emitBlock(t.add(place, row),
                  t.add(t.add(end, column), t.mul(row, columns)), down, across);
      });
    });
  });
}

void BlockTranspose::emitBlock(Value from, Value to, int64_t rows,
                               int64_t across) {
  TileCode::Values lanes(kSide, source.zero(kSide));
  for (int64_t i = 0; i < across; ++i) {
    Value place = t.add(from, i * view.strides.back());
    lanes[i] = rows == kSide ? source.load(place, kSide)
                             : source.loadSome(place, kSide, t.index(rows));
  }
  lanes = t.transpose(lanes);
  for (int64_t i = 0; i < rows; ++i) {
    storeRow(lanes[i], t.add(to, i * columns), across);
  }
}

void BlockTranspose::storeRow(Value lanes, Value place, int64_t across) {
  bool isWhole = across == kSide;
  Value count = t.index(across);
  if (storing.adds) {
    Value there = isWhole ? result.load(place, kSide)
                          : result.loadSome(place, kSide, count);
    there = emitIfKept(t.getBuilder(), t.getLoc(), storing, there);
    lanes = Arithmetic(t.getBuilder(), t.getLoc(), lanes.getType())
                .add(there, lanes);
  }
  isWhole ? result.store(lanes, place) : result.storeSome(lanes, place, count);
}

void accel::emitBlockTranspose(KernelEmitter &emitter) {
  std::optional<TransposedOperand> copy =
      TransposedOperand::find(emitter.getKernel());
  if (!copy ||
      copy->countBlocks(kTransposedRows) != emitter.getGeometry().getTiles()) {
    emitter.emitError(emitter.getKernel())
        << "expected rows that are cut into rows, or a copy that transposes "
           "in as many tiles as it has, got "
        << emitter.getGeometry();
    return;
  }
  BlockTranspose transpose(emitter, *copy);
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1,
                  [&](Value tile) { transpose.emitTile(tile); });
}
