// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing by transposed tiles and by rows.
#include "passes/Lower/Cpu/PackRoutines.h"

#include "passes/Analysis/WindowMatrix.h"
#include "passes/Lower/Routine.h"
#include "passes/Lower/ViewPlace.h"
#include "passes/Target/Cpu/ProductTiles.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace accel;

/// Of what is packed, asked for before it is read: rows may lie pages apart,
/// where no processor looks ahead by itself.
static constexpr int64_t kRowsAhead = 8;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Numbers in memory, whose rows or columns lie `stride` apart, and their
/// scales, if they have any.
struct PackRoutines::Source {
  Value numbers, at, stride;
  Value scales, scalesAt, scalesStride, ahead;
  /// Not null: a view of windows, whose part begins at a row and a column.
  const WindowMatrix *windows = nullptr;
  Value firstRow, firstColumn;

  auto fields() { return std::tie(numbers, at, stride); }
  auto scaleFields() { return std::tie(scales, scalesAt, scalesStride, ahead); }
};

/// Rows or columns of the left matrix, and where they go.
struct PackRoutines::Lhs {
  Source source;
  Value target, targetAt, rows, depth;

  auto fields() {
    return std::tuple_cat(source.fields(),
                          std::tie(target, targetAt, rows, depth));
  }
};

/// The same of the right matrix, whose panels lie `panelStride` apart.
struct PackRoutines::Rhs {
  Source source;
  Value target, targetAt, panelStride, columns, depth;

  auto fields() {
    return std::tuple_cat(
        source.fields(),
        std::tie(target, targetAt, panelStride, columns, depth));
  }
};

/// Arguments of a routine that reads scales as well.
template <typename Arguments> struct ScaledArguments : Arguments {
  auto fields() {
    return std::tuple_cat(Arguments::fields(), Arguments::source.scaleFields());
  }
};

template <typename Arguments>
void PackRoutines::call(
    const TileCode &t, StringRef name, const Arguments &arguments,
    llvm::function_ref<void(const TileCode &, const Arguments &)> write) const {
  // Windows lie in a way of their own: their code is the kernel's.
  if (arguments.source.windows) {
    return write(t, arguments);
  }
  std::string full = (name + format.getSuffix()).str();
  auto writeInside = [&](OpBuilder &inside, const Arguments &a) {
    write(TileCode(inside, t.getLoc()), a);
  };
  if (!format.block()) {
    return callRoutine<Arguments>(t.getBuilder(), t.getLoc(), module, full,
                                  arguments, writeInside);
  }
  using Scaled = ScaledArguments<Arguments>;
  callRoutine<Scaled>(
      t.getBuilder(), t.getLoc(), module, full, Scaled{arguments},
      [&](OpBuilder &inside, const Scaled &a) { writeInside(inside, a); });
}

PackRoutines::Source PackRoutines::getSource(const TileCode &t,
                                             const Part &from) const {
  Source source;
  source.numbers = FloatMemory::cast(t, from.numbers.buffer);
  source.at = from.numbers.at;
  source.stride = from.numbers.stride;
  source.windows = from.numbers.windows;
  source.firstRow = from.firstRow;
  source.firstColumn = from.firstColumn;
  if (format.block()) {
    source.scales = FloatMemory::cast(t, from.scales.buffer);
    source.scalesAt = from.scales.at;
    source.scalesStride = from.scales.stride;
    source.ahead = from.ahead;
  }
  return source;
}

void PackRoutines::packLhs(const TileCode &t, const Part &from,
                           const PackedMatrix &to, Value rows,
                           Value depth) const {
  Lhs arguments{.source = getSource(t, from),
                .target = FloatMemory::cast(t, to.buffer),
                .targetAt = to.at,
                .rows = rows,
                .depth = depth};
  bool isTransposed = from.numbers.isTransposed;
  call<Lhs>(t,
            isTransposed ? "product.pack_lhs_columns" : "product.pack_lhs_rows",
            arguments, [&](const TileCode &code, const Lhs &a) {
              isTransposed ? writeLhsColumns(code, a) : writeLhsRows(code, a);
            });
}

void PackRoutines::packRhs(const TileCode &t, const Part &from,
                           const PackedMatrix &to, Value panelStride,
                           Value columns, Value depth) const {
  Rhs arguments{.source = getSource(t, from),
                .target = FloatMemory::cast(t, to.buffer),
                .targetAt = to.at,
                .panelStride = panelStride,
                .columns = columns,
                .depth = depth};
  bool isTransposed = from.numbers.isTransposed;
  call<Rhs>(t,
            isTransposed ? "product.pack_rhs_columns" : "product.pack_rhs_rows",
            arguments, [&](const TileCode &code, const Rhs &a) {
              isTransposed ? writeRhsColumns(code, a) : writeRhsRows(code, a);
            });
}

/// Where an element lies, `row` and `column` being those of memory.
Value PackRoutines::placeOf(const TileCode &t, const Source &source, Value row,
                            Value column) const {
  if (const WindowMatrix *windows = source.windows) {
    row = getPlace(t, windows->rows, t.add(source.firstRow, row));
    column = getPlace(t, windows->columns, t.add(source.firstColumn, column));
  } else {
    row = t.mul(row, source.stride);
  }
  return t.add(t.add(source.at, row), column);
}

OperandUnits PackRoutines::unitsOf(const TileCode &t,
                                   const Source &source) const {
  return OperandUnits(t, format, source.numbers, source.scales);
}

/// That of element `k` of row `row`, where the summed index is contiguous; null
/// if there are no scales.
Value PackRoutines::placeOfScale(const TileCode &t, const Source &source,
                                 Value row, Value k) const {
  if (!format.block()) {
    return {};
  }
  Value block = t.div(t.add(source.ahead, k), format.block());
  return t.add(t.add(source.scalesAt, t.mul(row, source.scalesStride)), block);
}

/// That of element `k` of the first row or column, behind which those of the
/// others lie; null if there are no scales.
Value PackRoutines::placeOfScales(const TileCode &t, const Source &source,
                                  Value k) const {
  if (!format.block()) {
    return {};
  }
  Value block = t.div(t.add(source.ahead, k), format.block());
  return t.add(source.scalesAt, t.mul(block, source.scalesStride));
}

//===----------------------------------------------------------------------===//
// Transposed on the way
//===----------------------------------------------------------------------===//

/// Transposes `wanted` rows of `depth` elements, from `first` on, that lie
/// `stride` apart: as many vectors of columns, `step` floats apart. Rows behind
/// `last` repeat it; lanes behind the wanted rows are nothing.
void PackRoutines::packTransposed(const TileCode &t, const Source &source,
                                  const PackedMatrix &to, Value first,
                                  Value last, int64_t wanted, Value depth,
                                  int64_t step) const {
  OperandUnits from = unitsOf(t, source);
  FloatMemory target(t, to.buffer);
  Value ahead = t.mul(source.stride, wanted);
  auto pack = [&](Value k, Value count) {
    Values lanes(block.lanes, from.zero(block.lanes));
    for (int64_t i = 0; i < wanted; ++i) {
      Value row = t.min(t.add(first, i), last);
      Value place = placeOf(t, source, row, k);
      if (!source.windows) {
        from.prefetch(t.add(place, ahead));
      }
      lanes[i] = from.along(place, block.lanes, count,
                            placeOfScale(t, source, row, k));
    }
    Value firstColumn = format.packedDepth(t, k);
    for (auto [i, each] : llvm::enumerate(t.transpose(lanes))) {
      Value column =
          t.add(firstColumn, static_cast<int64_t>(i) * format.width());
      from.store(each, target, t.add(to.at, t.mul(column, step)), step);
    }
  };
  t.eachStep(
      depth, block.lanes * format.elements(),
      [&](Value k) { pack(k, Value()); }, pack);
}

/// Unit by unit of the summed index: `body` gets the first element, and the
/// second; null if there is none.
void PackRoutines::eachUnit(
    const TileCode &t, Value depth,
    llvm::function_ref<void(Value k, Value second)> body) const {
  if (!format.isPaired()) {
    t.each(t.index(0), depth, 1, [&](Value k) { body(k, Value()); });
    return;
  }
  t.eachStep(
      depth, 2, [&](Value k) { body(k, t.add(k, int64_t(1))); },
      [&](Value k, Value) { body(k, Value()); });
}

//===----------------------------------------------------------------------===//
// The left matrix
//===----------------------------------------------------------------------===//

/// A vector reaches into the place of the next summed index, or block, which is
/// written after it.
void PackRoutines::writeLhsRows(const TileCode &t, const Lhs &a) const {
  Value depth = format.packedDepth(t, a.depth);
  t.each(t.index(0), a.rows, block.rows, [&](Value first) {
    packTransposed(t, a.source,
                   {a.target, t.add(a.targetAt, t.mul(first, depth))}, first,
                   t.sub(a.rows, t.index(1)), block.rows, a.depth, block.rows);
  });
}

/// Columns lie as they are wanted: their part of a row is read at once, and
/// block by block. A vector that is longer than a block reaches into the place
/// of the next summed index, which is written after it; the last one is cut in
/// two, because it would reach into another block.
void PackRoutines::writeLhsColumns(const TileCode &t, const Lhs &a) const {
  if (format.isPaired()) {
    return eachUnit(t, a.depth, [&](Value k, Value second) {
      writeLhsColumn(t, a, k, second, /*reachesOn=*/false);
    });
  }
  Value last = t.sub(a.depth, t.index(1));
  t.each(t.index(0), last, 1, [&](Value k) {
    writeLhsColumn(t, a, k, Value(), /*reachesOn=*/true);
  });
  writeLhsColumn(t, a, last, Value(), /*reachesOn=*/false);
}

/// The unit of elements `k` and, if that is not null, `second`.
void PackRoutines::writeLhsColumn(const TileCode &t, const Lhs &a, Value k,
                                  Value second, bool reachesOn) const {
  OperandUnits from = unitsOf(t, a.source);
  FloatMemory to(t, a.target);
  Value depth = format.packedDepth(t, a.depth);
  Value scales = placeOfScales(t, a.source, k);
  Value place = t.add(a.targetAt, t.mul(format.packedDepth(t, k), block.rows));
  Value ahead = placeOf(t, a.source, t.add(k, kRowsAhead), t.index(0));
  for (int64_t lane = 0; lane < ProductTiles::kPackedRows; lane += kTileLanes) {
    from.prefetch(t.add(ahead, lane));
  }
  auto pack = [&](Value row, int64_t first, int64_t lanes, Value count) {
    Value column = t.add(row, first);
    Value next = second ? placeOf(t, a.source, second, column) : Value();
    Value units =
        from.across(placeOf(t, a.source, k, column), next, lanes, count,
                    scales ? t.add(t.add(scales, row), first) : Value());
    from.store(units, to, t.add(t.add(place, t.mul(row, depth)), first),
               block.rows);
  };
  Value done = t.index(0);
  if (reachesOn) {
    // As long as what is read behind a block is there.
    int64_t lanes = llvm::bit_ceil(static_cast<uint64_t>(block.rows));
    Value there = t.sub(a.rows, t.index(lanes - block.rows));
    done = t.mul(t.div(t.max(there, t.index(0)), block.rows), block.rows);
    t.each(t.index(0), done, block.rows,
           [&](Value row) { pack(row, 0, lanes, Value()); });
  }
  int64_t larger = llvm::bit_floor(static_cast<uint64_t>(block.rows));
  auto whole = [&](Value row) {
    pack(t.add(done, row), 0, larger, Value());
    pack(t.add(done, row), larger, block.rows - larger, Value());
  };
  auto rest = [&](Value row, Value count) {
    pack(t.add(done, row), 0, block.lanes, count);
  };
  t.eachStep(t.sub(a.rows, done), block.rows, whole, rest);
}

//===----------------------------------------------------------------------===//
// The right matrix
//===----------------------------------------------------------------------===//

/// Row after row, so that a page is left only once.
void PackRoutines::writeRhsRows(const TileCode &t, const Rhs &a) const {
  OperandUnits from = unitsOf(t, a.source);
  FloatMemory to(t, a.target);
  eachUnit(t, a.depth, [&](Value k, Value second) {
    Value scales = placeOfScales(t, a.source, k);
    Value later = t.add(k, kRowsAhead);
    Value first =
        t.add(a.targetAt, t.mul(format.packedDepth(t, k), block.columns));
    auto pack = [&](Value column, int64_t lane, Value count) {
      Value begin = t.add(column, lane);
      Value next = second ? placeOf(t, a.source, second, begin) : Value();
      Value units =
          from.across(placeOf(t, a.source, k, begin), next, kTileLanes, count,
                      scales ? t.add(t.add(scales, column), lane) : Value());
      Value panel = t.mul(t.div(column, block.columns), a.panelStride);
      from.store(units, to, t.add(t.add(first, panel), lane), block.columns);
    };
    auto whole = [&](Value column) {
      for (int64_t lane = 0; lane < block.columns; lane += kTileLanes) {
        if (!a.source.windows) {
          from.prefetch(placeOf(t, a.source, later, t.add(column, lane)));
        }
        pack(column, lane, Value());
      }
    };
    auto rest = [&](Value column, Value count) {
      for (int64_t lane = 0; lane < block.columns; lane += kTileLanes) {
        pack(column, lane, t.max(t.sub(count, t.index(lane)), t.index(0)));
      }
    };
    t.eachStep(a.columns, block.columns, whole, rest);
  });
}

/// Sums with columns that do not exist are dropped.
void PackRoutines::writeRhsColumns(const TileCode &t, const Rhs &a) const {
  t.each(t.index(0), a.columns, block.lanes, [&](Value column) {
    Value panel = t.mul(t.div(column, block.columns), a.panelStride);
    Value first = t.add(t.add(a.targetAt, panel), t.rem(column, block.columns));
    packTransposed(t, a.source, {a.target, first}, column,
                   t.sub(a.columns, t.index(1)), block.lanes, a.depth,
                   block.columns);
  });
}
