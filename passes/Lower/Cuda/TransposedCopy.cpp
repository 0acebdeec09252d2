// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread loads the columns of its block, each of which lies in one piece in
// the source, turns them in registers and stores the block's rows:
//
//   source, 16 bytes of a column:  a0 a1 a2 ...    result:  a0 b0 c0 ...
//   of the next one:               b0 b1 b2 ...             a1 b1 c1 ...
//
// Threads share nothing: no shared memory, no barrier. Each line of the result
// is written by neighbouring threads at once, and what a thread reads of a line
// of the source its neighbours read the rest of.
#include "passes/Lower/Cuda/TransposedCopy.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Cuda/ComputedColumns.h"
#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/ViewPlace.h"
#include "passes/Target/Cuda/TransposeTiles.h"

using namespace mlir;
using namespace accel;

namespace {

class TransposedCopy {
public:
  TransposedCopy(KernelEmitter &emitter, const TransposeTiles &tiles,
                 ArrayRef<int64_t> alignments);

  void emit();

private:
  using Words = WordBlock::Words;
  static constexpr int64_t kWordBytes = WordBlock::kWordBytes;

  /// A side of a block: the dimension that it lies in, and where it begins
  /// there, a run-time index.
  struct Side {
    int64_t size, length;
    Value first;

    bool isWhole() const { return size % length == 0; }
  };
  /// A thread's block, and where its first element lies.
  struct Block {
    Side rows, columns;
    Value source, result;
  };

  void emitTile(Value tile);
  /// `number`: of the block among those of the side's dimension and the ones
  /// in front of it, whose places it adds to `source`.
  Side locate(Value number, size_t dimension, size_t outermost, int64_t length,
              Value &source, Value &place);
  Block locateBlock(Value row, Value column);
  void emitBlock(const Block &block);
  WordBlock loadColumns(const Block &block);
  WordBlock computeColumns(const Block &block);
  Words loadColumn(const Block &block, int64_t column);
  void storeRow(const Block &block, int64_t row, ArrayRef<Value> words);
  void onlyIfThere(const Side &side, int64_t place,
                   llvm::function_ref<void()> body);

  KernelEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexArithmetic indices;
  Arithmetic words;
  TransposeTiles tiles;
  ArrayRef<int64_t> alignments;
  int64_t storeBytes;
  Value result;
  // Of a copy.
  int64_t loadBytes = 0;
  Value source;
};

TransposedCopy::TransposedCopy(KernelEmitter &emitter,
                               const TransposeTiles &tiles,
                               ArrayRef<int64_t> alignments)
    : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
      indices(builder, loc), words(builder, loc, builder.getI32Type()),
      tiles(tiles), alignments(alignments) {
  auto alignmentOf = [&](size_t operand) {
    int64_t known = alignments.empty() ? 1 : alignments[operand];
    return std::max(known, tiles.elementBytes);
  };
  unsigned number = tiles.turned ? tiles.turned->number : 0;
  result = emitter.getResultBuffer(number);
  storeBytes = tiles.getStoreBytes(
      alignmentOf(emitter.getKernel().getNumArguments() + number));
  if (!tiles.turned) {
    Value root = getViewRoot(emitter.getResults().front());
    source = emitter.getBuffer(cast<BlockArgument>(root));
    loadBytes = tiles.getLoadBytes(
        alignmentOf(cast<BlockArgument>(root).getArgNumber()));
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void TransposedCopy::emit() {
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1,
                  [&](Value tile) { emitTile(tile); });
}

/// Tiles one behind the other share rows of the source.
void TransposedCopy::emitTile(Value tile) {
  Value thread = WarpOps(builder, loc).threadIndex();
  int64_t down = tiles.tilesOfColumn();
  Value row =
      indices.add(indices.mul(indices.rem(tile, down), tiles.threadRows),
                  indices.div(thread, tiles.threadColumns));
  Value column =
      indices.add(indices.mul(indices.div(tile, down), tiles.threadColumns),
                  indices.rem(thread, tiles.threadColumns));
  bool areThere = tiles.blocksOfColumn() % tiles.threadRows == 0 &&
                  tiles.blocksOfRow() % tiles.threadColumns == 0;
  if (areThere) {
    return emitBlock(locateBlock(row, column));
  }
  Value isThere =
      indices.both(indices.isBelow(row, indices.index(tiles.blocksOfColumn())),
                   indices.isBelow(column, indices.index(tiles.blocksOfRow())));
  emitter.onlyIf(isThere, [&] { emitBlock(locateBlock(row, column)); });
}

TransposedCopy::Side TransposedCopy::locate(Value number, size_t dimension,
                                            size_t outermost, int64_t length,
                                            Value &source, Value &place) {
  ArrayRef<int64_t> sizes = tiles.view.sizes;
  bool isOutermost = dimension == outermost;
  int64_t blocks = llvm::divideCeil(sizes[dimension], length);
  Value outer = isOutermost ? indices.index(0) : indices.div(number, blocks);
  Value block = isOutermost ? number : indices.rem(number, blocks);
  Side side{sizes[dimension], length, indices.mul(block, length)};
  place = indices.add(indices.mul(outer, sizes[dimension]), side.first);
  source = indices.add(source,
                       indices.mul(side.first, tiles.view.strides[dimension]));
  source = indices.add(
      source,
      getPlace(indices, tiles.view.dimensions(outermost, dimension), outer));
  return side;
}

TransposedCopy::Block TransposedCopy::locateBlock(Value row, Value column) {
  Block block;
  block.source = indices.index(tiles.view.offset);
  Value down, across;
  block.rows =
      locate(row, tiles.rowsOf, 0, tiles.blockRows, block.source, down);
  block.columns = locate(column, tiles.view.sizes.size() - 1, tiles.rowsOf + 1,
                         tiles.blockColumns, block.source, across);
  block.result = indices.add(indices.mul(down, tiles.resultColumns()), across);
  return block;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// What lies behind the end of its dimension is not stored.
void TransposedCopy::onlyIfThere(const Side &side, int64_t place,
                                 llvm::function_ref<void()> body) {
  if (place == 0 || side.isWhole()) {
    return body();
  }
  Value at = indices.add(side.first, place);
  emitter.onlyIf(indices.isBelow(at, indices.index(side.size)), body);
}

/// All is loaded before anything is stored, so that no load waits for a store
/// that it might read.
void TransposedCopy::emitBlock(const Block &block) {
  WordBlock columns = tiles.turned ? computeColumns(block) : loadColumns(block);
  WordBlock rows = columns.transposed(builder, loc);
  for (auto i : llvm::seq(rows.countRows())) {
    onlyIfThere(block.rows, i, [&] { storeRow(block, i, rows.getRow(i)); });
  }
}

/// How far element `place` of a side is from its first one; where it is behind
/// the end of the dimension, how far the last access is that is not.
static Value clampedTo(const IndexArithmetic &indices, Value first,
                       int64_t place, int64_t last) {
  Value most = indices.sub(indices.index(last), first);
  return indices.min(indices.index(place), most);
}

WordBlock TransposedCopy::loadColumns(const Block &block) {
  WordBlock columns(tiles.elementBytes);
  for (int64_t i = 0; i < block.columns.length; ++i) {
    columns.addRow(loadColumn(block, i));
  }
  return columns;
}

/// Blocks of what is computed are whole.
WordBlock TransposedCopy::computeColumns(const Block &block) {
  SmallVector<Value> firsts;
  for (int64_t i = 0; i < block.columns.length; ++i) {
    firsts.push_back(indices.add(block.source, i * tiles.view.strides.back()));
  }
  return emitComputedColumns(emitter, tiles, firsts, alignments);
}

TransposedCopy::Words TransposedCopy::loadColumn(const Block &block,
                                                 int64_t column) {
  const Side &rows = block.rows, &columns = block.columns;
  Value step =
      columns.isWhole() || column == 0
          ? indices.index(column)
          : clampedTo(indices, columns.first, column, columns.size - 1);
  Value first =
      indices.add(block.source, indices.mul(step, tiles.view.strides.back()));
  int64_t each = loadBytes / tiles.elementBytes;
  Words all;
  for (int64_t i = 0; i < rows.length; i += each) {
    Value row = rows.isWhole() || i == 0
                    ? indices.index(i)
                    : clampedTo(indices, rows.first, i, rows.size - each);
    Words loaded =
        loadWords(builder, loc, source, indices.add(first, row), loadBytes);
    int64_t bit = i * tiles.elementBytes % kWordBytes * 8;
    if (bit == 0) {
      llvm::append_range(all, loaded);
    } else {
      all.back() =
          words.orBits(all.back(), words.shiftLeft(loaded.front(), bit));
    }
  }
  return all;
}

void TransposedCopy::storeRow(const Block &block, int64_t row,
                              ArrayRef<Value> all) {
  Value first = indices.add(block.result, row * tiles.resultColumns());
  int64_t each = storeBytes / tiles.elementBytes;
  for (int64_t i = 0; i < block.columns.length; i += each) {
    int64_t byte = i * tiles.elementBytes;
    onlyIfThere(block.columns, i, [&] {
      Words part(all.slice(byte / kWordBytes,
                           llvm::divideCeil(storeBytes, kWordBytes)));
      if (byte % kWordBytes != 0) {
        part = {words.shiftRightLogical(part.front(), byte % kWordBytes * 8)};
      }
      storeWords(builder, loc, part, result, indices.add(first, i), storeBytes);
    });
  }
}

} // namespace

void accel::emitTransposedCopy(KernelEmitter &emitter,
                               ArrayRef<int64_t> alignments) {
  std::optional<TransposeTiles> tiles =
      TransposeTiles::find(emitter.getKernel());
  if (!tiles || tiles->allTiles() != emitter.getGeometry().getTiles()) {
    emitter.emitError(emitter.getKernel())
        << "expected rows that are cut into rows, or a kernel that transposes "
           "in as many tiles as it has, got "
        << emitter.getGeometry();
    return;
  }
  TransposedCopy(emitter, *tiles, alignments).emit();
}
