// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing by transposed tiles and by rows.
#include "passes/Lower/Cpu/PackRoutines.h"

#include "passes/Lower/Routine.h"
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

/// Rows or columns of the left matrix, and where they go.
struct PackRoutines::Lhs {
  Value source, sourceAt, sourceStride, target, targetAt;
  Value rows, depth;

  auto fields() {
    return std::tie(source, sourceAt, sourceStride, target, targetAt, rows,
                    depth);
  }
  ProductMatrix from() const { return {source, sourceAt, sourceStride}; }
};

/// The same of the right matrix, whose panels lie `panelStride` apart.
struct PackRoutines::Rhs {
  Value source, sourceAt, sourceStride, target, targetAt;
  Value panelStride, columns, depth;

  auto fields() {
    return std::tie(source, sourceAt, sourceStride, target, targetAt,
                    panelStride, columns, depth);
  }
  ProductMatrix from() const { return {source, sourceAt, sourceStride}; }
};

void PackRoutines::packLhs(const TileCode &t, const ProductMatrix &from,
                           const PackedMatrix &to, Value rows,
                           Value depth) const {
  Lhs arguments{.source = FloatMemory::cast(t, from.buffer),
                .sourceAt = from.at,
                .sourceStride = from.stride,
                .target = FloatMemory::cast(t, to.buffer),
                .targetAt = to.at,
                .rows = rows,
                .depth = depth};
  std::string name = getName(from.isTransposed ? "product.pack_lhs_columns"
                                               : "product.pack_lhs_rows");
  callRoutine<Lhs>(t.getBuilder(), t.getLoc(), module, name, arguments,
                   [&](OpBuilder &inside, const Lhs &a) {
                     TileCode code(inside, t.getLoc());
                     from.isTransposed ? writeLhsColumns(code, a)
                                       : writeLhsRows(code, a);
                   });
}

void PackRoutines::packRhs(const TileCode &t, const ProductMatrix &from,
                           const PackedMatrix &to, Value panelStride,
                           Value columns, Value depth) const {
  Rhs arguments{.source = FloatMemory::cast(t, from.buffer),
                .sourceAt = from.at,
                .sourceStride = from.stride,
                .target = FloatMemory::cast(t, to.buffer),
                .targetAt = to.at,
                .panelStride = panelStride,
                .columns = columns,
                .depth = depth};
  std::string name = getName(from.isTransposed ? "product.pack_rhs_columns"
                                               : "product.pack_rhs_rows");
  callRoutine<Rhs>(t.getBuilder(), t.getLoc(), module, name, arguments,
                   [&](OpBuilder &inside, const Rhs &a) {
                     TileCode code(inside, t.getLoc());
                     from.isTransposed ? writeRhsColumns(code, a)
                                       : writeRhsRows(code, a);
                   });
}

//===----------------------------------------------------------------------===//
// Transposed on the way
//===----------------------------------------------------------------------===//

/// Transposes `wanted` rows of `depth` elements, from `first` on, that lie
/// `stride` apart: as many vectors of columns, `step` floats apart. Rows behind
/// `last` repeat it; lanes behind the wanted rows are nothing.
void PackRoutines::packTransposed(const TileCode &t, const ProductMatrix &from,
                                  const PackedMatrix &to, Value first,
                                  Value last, int64_t wanted, Value depth,
                                  int64_t step) const {
  OperandUnits source(t, format, from.buffer);
  FloatMemory target(t, to.buffer);
  Value ahead = t.mul(from.stride, wanted);
  auto pack = [&](Value k, Value count) {
    Values lanes(block.lanes, source.zero(block.lanes));
    for (int64_t i = 0; i < wanted; ++i) {
      Value row = t.min(t.add(first, i), last);
      Value place = t.add(t.add(from.at, t.mul(row, from.stride)), k);
      source.prefetch(t.add(place, ahead));
      lanes[i] = source.along(place, block.lanes, count);
    }
    Value firstColumn = format.packedDepth(t, k);
    for (auto [i, each] : llvm::enumerate(t.transpose(lanes))) {
      Value column =
          t.add(firstColumn, static_cast<int64_t>(i) * format.width());
      source.store(each, target, t.add(to.at, t.mul(column, step)), step);
    }
  };
  t.eachStep(
      depth, block.lanes * format.elements(),
      [&](Value k) { pack(k, Value()); }, pack);
}

/// Unit by unit of the summed index, whose elements lie `stride` apart: `body`
/// gets the first, and how far on the second is; null if there is none.
void PackRoutines::eachUnit(
    const TileCode &t, Value depth, Value stride,
    llvm::function_ref<void(Value k, Value next)> body) const {
  if (!format.isPaired()) {
    t.each(t.index(0), depth, 1, [&](Value k) { body(k, Value()); });
    return;
  }
  t.eachStep(
      depth, 2, [&](Value k) { body(k, stride); },
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
    packTransposed(t, a.from(),
                   {a.target, t.add(a.targetAt, t.mul(first, depth))}, first,
                   t.sub(a.rows, t.index(1)), block.rows, a.depth, block.rows);
  });
}

/// Columns lie as they are wanted: their part of a row is read at once, and
/// block by block in vectors that reach into no other block, until the last.
void PackRoutines::writeLhsColumns(const TileCode &t, const Lhs &a) const {
  OperandUnits from(t, format, a.source);
  FloatMemory to(t, a.target);
  int64_t larger = llvm::bit_floor(static_cast<uint64_t>(block.rows));
  Value depth = format.packedDepth(t, a.depth);
  eachUnit(t, a.depth, a.sourceStride, [&](Value k, Value next) {
    Value source = t.add(a.sourceAt, t.mul(k, a.sourceStride));
    Value place =
        t.add(a.targetAt, t.mul(format.packedDepth(t, k), block.rows));
    Value ahead = t.add(source, t.mul(a.sourceStride, kRowsAhead));
    for (int64_t lane = 0; lane < ProductTiles::kPackedRows;
         lane += kTileLanes) {
      from.prefetch(t.add(ahead, lane));
    }
    auto pack = [&](Value row, int64_t first, int64_t lanes, Value count) {
      Value at = t.add(t.add(source, row), first);
      Value units =
          from.across(at, next ? t.add(at, next) : Value(), lanes, count);
      from.store(units, to, t.add(t.add(place, t.mul(row, depth)), first),
                 block.rows);
    };
    auto whole = [&](Value row) {
      pack(row, 0, larger, Value());
      pack(row, larger, block.rows - larger, Value());
    };
    auto rest = [&](Value row, Value count) {
      pack(row, 0, block.lanes, count);
    };
    t.eachStep(a.rows, block.rows, whole, rest);
  });
}

//===----------------------------------------------------------------------===//
// The right matrix
//===----------------------------------------------------------------------===//

/// Row after row, so that a page is left only once.
void PackRoutines::writeRhsRows(const TileCode &t, const Rhs &a) const {
  OperandUnits from(t, format, a.source);
  FloatMemory to(t, a.target);
  eachUnit(t, a.depth, a.sourceStride, [&](Value k, Value next) {
    Value row = t.add(a.sourceAt, t.mul(k, a.sourceStride));
    Value ahead = t.add(row, t.mul(a.sourceStride, kRowsAhead));
    Value first =
        t.add(a.targetAt, t.mul(format.packedDepth(t, k), block.columns));
    auto pack = [&](Value column, int64_t lane, Value count) {
      Value at = t.add(t.add(row, column), lane);
      Value units =
          from.across(at, next ? t.add(at, next) : Value(), kTileLanes, count);
      Value panel = t.mul(t.div(column, block.columns), a.panelStride);
      from.store(units, to, t.add(t.add(first, panel), lane), block.columns);
    };
    auto whole = [&](Value column) {
      for (int64_t lane = 0; lane < block.columns; lane += kTileLanes) {
        from.prefetch(t.add(t.add(ahead, column), lane));
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
    packTransposed(t, a.from(), {a.target, first}, column,
                   t.sub(a.columns, t.index(1)), block.lanes, a.depth,
                   block.columns);
  });
}
