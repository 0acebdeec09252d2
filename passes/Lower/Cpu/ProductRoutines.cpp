// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing by transposed tiles and by rows, and the register block.
#include "passes/Lower/Cpu/ProductRoutines.h"

#include "passes/Lower/Cpu/RegisterBlock.h"
#include "passes/Lower/Routine.h"
#include "passes/Target/Cpu/ProductTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace accel;

namespace {

/// Of what is packed, asked for before it is read: rows may lie pages apart,
/// where no processor looks ahead by itself.
constexpr int64_t kRowsAhead = 8;

/// Of the summed index, one behind the other in the innermost loop.
constexpr int64_t kSteps = 2;

using Values = TileCode::Values;

/// Loads and stores of floats by their place alone.
class Floats {
public:
  Floats(const TileCode &t, Value memory) : t(t), memory(memory) {}

  Value scalar(Value at) const {
    return memref::LoadOp::create(t.getBuilder(), t.getLoc(), memory,
                                  ValueRange{at});
  }
  Value load(Value at, int64_t lanes) const {
    return vector::LoadOp::create(t.getBuilder(), t.getLoc(), typeOf(lanes),
                                  memory, ValueRange{at});
  }
  /// The first `count`; the others are zero.
  Value loadSome(Value at, int64_t lanes, Value count) const {
    return vector::MaskedLoadOp::create(t.getBuilder(), t.getLoc(),
                                        typeOf(lanes), memory, ValueRange{at},
                                        maskOf(count, lanes), zero(lanes));
  }
  void store(Value lanes, Value at) const {
    vector::StoreOp::create(t.getBuilder(), t.getLoc(), lanes, memory,
                            ValueRange{at});
  }
  void storeSome(Value lanes, Value at, Value count) const {
    int64_t size = cast<VectorType>(lanes.getType()).getNumElements();
    vector::MaskedStoreOp::create(t.getBuilder(), t.getLoc(), memory,
                                  ValueRange{at}, maskOf(count, size), lanes);
  }
  /// Asks for the line of an element, which need not exist.
  void prefetch(Value at) const {
    memref::PrefetchOp::create(t.getBuilder(), t.getLoc(), memory,
                               ValueRange{at}, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
  Value zero(int64_t lanes) const {
    return arith::ConstantOp::create(t.getBuilder(), t.getLoc(),
                                     t.getBuilder().getZeroAttr(typeOf(lanes)));
  }

private:
  VectorType typeOf(int64_t lanes) const {
    return VectorType::get({lanes}, t.getBuilder().getF32Type());
  }
  Value maskOf(Value count, int64_t lanes) const {
    return vector::CreateMaskOp::create(
        t.getBuilder(), t.getLoc(),
        VectorType::get({lanes}, t.getBuilder().getI1Type()),
        ValueRange{count});
  }

  const TileCode &t;
  Value memory;
};

/// Whole steps, and the rest as `body(index, count)`.
void eachStep(const TileCode &t, Value count, int64_t step,
              llvm::function_ref<void(Value)> whole,
              llvm::function_ref<void(Value, Value)> rest) {
  Value middle = t.mul(t.div(count, step), step);
  t.each(t.index(0), middle, step, whole);
  t.each(middle, count, step, [&](Value i) { rest(i, t.sub(count, i)); });
}

/// Of no size: only the stride of one matters.
MemRefType floatsType(OpBuilder &builder) {
  return MemRefType::get({int64_t(1) << 40}, builder.getF32Type());
}

} // namespace

/// Twelve sums, two operands and a broadcast fill the sixteen registers of
/// AVX2; twice as many sums of twice the width those of AVX-512.
ProductRoutines::ProductRoutines(ModuleOp module, int64_t blockVectors)
    : module(module), panelColumns(blockVectors == 1 ? 16 : 32),
      blockRows(blockVectors == 1 ? 6 : 12),
      packLanes(blockVectors == 1 ? 8 : 16) {}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Rows or columns of the left matrix, and where they go.
struct ProductRoutines::PackLhs {
  Value source, sourceAt, sourceStride, target, targetAt;
  Value rows, depth;

  auto fields() {
    return std::tie(source, sourceAt, sourceStride, target, targetAt, rows,
                    depth);
  }
  Matrix from() const { return {source, sourceAt, sourceStride}; }
};

/// The same of the right matrix, whose panels lie `panelStride` apart.
struct ProductRoutines::PackRhs {
  Value source, sourceAt, sourceStride, target, targetAt;
  Value panelStride, columns, depth;

  auto fields() {
    return std::tie(source, sourceAt, sourceStride, target, targetAt,
                    panelStride, columns, depth);
  }
  Matrix from() const { return {source, sourceAt, sourceStride}; }
};

/// Both packed matrices lie in one buffer.
struct ProductRoutines::Multiply {
  Value packed, lhsAt, rhsAt, panelStride, depth;
  Value result, resultAt, resultStride;
  Value rows, columns, adds;

  auto fields() {
    return std::tie(packed, lhsAt, rhsAt, panelStride, depth, result, resultAt,
                    resultStride, rows, columns, adds);
  }
};

/// A buffer as one of no size in particular, which all calls can pass.
static Value castToFloats(const TileCode &t, Value buffer) {
  OpBuilder &builder = t.getBuilder();
  MemRefType type = floatsType(builder);
  return memref::ReinterpretCastOp::create(
      builder, t.getLoc(), type, buffer, OpFoldResult(builder.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(type.getDimSize(0))},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

/// Calls function `name`, whose body is written if it is not there yet.
template <typename Arguments>
void ProductRoutines::call(const TileCode &t, StringRef name,
                           const Arguments &arguments,
                           Body<Arguments> body) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  Values operands = getOperands(arguments);
  for (Value &operand : operands) {
    operand =
        isa<MemRefType>(operand.getType()) ? castToFloats(t, operand) : operand;
  }
  func::FuncOp routine = getRoutine(
      module, loc, name,
      builder.getFunctionType(ValueRange(operands).getTypes(), {}),
      [&](OpBuilder &inside, ValueRange values) -> Values {
        (this->*body)(TileCode(inside, loc), getArguments<Arguments>(values));
        return {};
      });
  func::CallOp::create(builder, loc, routine, operands);
}

void ProductRoutines::packLhs(const TileCode &t, const Matrix &from,
                              const Packed &to, Value rows, Value depth) const {
  bool byColumns = from.isTransposed;
  call(t, byColumns ? "product.pack_lhs_columns" : "product.pack_lhs_rows",
       PackLhs{.source = from.buffer,
               .sourceAt = from.at,
               .sourceStride = from.stride,
               .target = to.buffer,
               .targetAt = to.at,
               .rows = rows,
               .depth = depth},
       byColumns ? &ProductRoutines::writePackLhsColumns
                 : &ProductRoutines::writePackLhsRows);
}

void ProductRoutines::packRhs(const TileCode &t, const Matrix &from,
                              const Packed &to, Value panelStride,
                              Value columns, Value depth) const {
  bool byColumns = from.isTransposed;
  call(t, byColumns ? "product.pack_rhs_columns" : "product.pack_rhs_rows",
       PackRhs{.source = from.buffer,
               .sourceAt = from.at,
               .sourceStride = from.stride,
               .target = to.buffer,
               .targetAt = to.at,
               .panelStride = panelStride,
               .columns = columns,
               .depth = depth},
       byColumns ? &ProductRoutines::writePackRhsColumns
                 : &ProductRoutines::writePackRhsRows);
}

/// `lhs` and `rhs` are parts of one buffer.
void ProductRoutines::multiply(const TileCode &t, const Packed &lhs,
                               const Packed &rhs, Value panelStride,
                               Value depth, const Matrix &result, Value rows,
                               Value columns, Value adds) const {
  assert(lhs.buffer == rhs.buffer && "packed matrices lie in one workspace");
  call(t, "product.multiply",
       Multiply{.packed = lhs.buffer,
                .lhsAt = lhs.at,
                .rhsAt = rhs.at,
                .panelStride = panelStride,
                .depth = depth,
                .result = result.buffer,
                .resultAt = result.at,
                .resultStride = result.stride,
                .rows = rows,
                .columns = columns,
                .adds = adds},
       &ProductRoutines::writeMultiply);
}

//===----------------------------------------------------------------------===//
// Transposed on the way
//===----------------------------------------------------------------------===//

/// Transposes `wanted` rows of `depth` elements, from `first` on, that lie
/// `stride` apart: as many vectors of columns, `step` floats apart. Rows behind
/// `last` repeat it; lanes behind the wanted rows are nothing.
void ProductRoutines::packTransposed(const TileCode &t, const Matrix &from,
                                     const Packed &to, Value first, Value last,
                                     int64_t wanted, Value depth,
                                     int64_t step) const {
  Floats source(t, from.buffer), target(t, to.buffer);
  Value ahead = t.mul(from.stride, wanted);
  auto pack = [&](Value k, Value count) {
    Values lanes(packLanes, source.zero(packLanes));
    for (int64_t i = 0; i < wanted; ++i) {
      Value row = t.min(t.add(first, i), last);
      Value place = t.add(t.add(from.at, t.mul(row, from.stride)), k);
      source.prefetch(t.add(place, ahead));
      lanes[i] = count ? source.loadSome(place, packLanes, count)
                       : source.load(place, packLanes);
    }
    for (auto [i, each] : llvm::enumerate(t.transpose(lanes))) {
      Value column = t.add(k, static_cast<int64_t>(i));
      target.store(each, t.add(to.at, t.mul(column, step)));
    }
  };
  eachStep(t, depth, packLanes, [&](Value k) { pack(k, Value()); }, pack);
}

//===----------------------------------------------------------------------===//
// The left matrix
//===----------------------------------------------------------------------===//

/// A vector reaches into the place of the next summed index, or block, which is
/// written after it.
void ProductRoutines::writePackLhsRows(const TileCode &t,
                                       const PackLhs &a) const {
  t.each(t.index(0), a.rows, blockRows, [&](Value first) {
    packTransposed(t, a.from(),
                   {a.target, t.add(a.targetAt, t.mul(first, a.depth))}, first,
                   t.sub(a.rows, t.index(1)), blockRows, a.depth, blockRows);
  });
}

/// Columns lie as they are wanted: their part of a row is read at once, and
/// block by block in vectors that reach into no other block, until the last.
void ProductRoutines::writePackLhsColumns(const TileCode &t,
                                          const PackLhs &a) const {
  Floats from(t, a.source), to(t, a.target);
  int64_t larger = llvm::bit_floor(static_cast<uint64_t>(blockRows));
  t.each(t.index(0), a.depth, 1, [&](Value k) {
    Value source = t.add(a.sourceAt, t.mul(k, a.sourceStride));
    Value place = t.add(a.targetAt, t.mul(k, blockRows));
    Value ahead = t.add(source, t.mul(a.sourceStride, kRowsAhead));
    for (int64_t lane = 0; lane < ProductTiles::kPackedRows;
         lane += kTileLanes) {
      from.prefetch(t.add(ahead, lane));
    }
    auto whole = [&](Value row) {
      for (auto [first, lanes] :
           {std::pair(int64_t(0), larger), {larger, blockRows - larger}}) {
        to.store(from.load(t.add(t.add(source, row), first), lanes),
                 t.add(t.add(place, t.mul(row, a.depth)), first));
      }
    };
    auto rest = [&](Value row, Value count) {
      to.store(from.loadSome(t.add(source, row), packLanes, count),
               t.add(place, t.mul(row, a.depth)));
    };
    eachStep(t, a.rows, blockRows, whole, rest);
  });
}

//===----------------------------------------------------------------------===//
// The right matrix
//===----------------------------------------------------------------------===//

/// Row after row, so that a page is left only once.
void ProductRoutines::writePackRhsRows(const TileCode &t,
                                       const PackRhs &a) const {
  Floats from(t, a.source), to(t, a.target);
  t.each(t.index(0), a.depth, 1, [&](Value k) {
    Value row = t.add(a.sourceAt, t.mul(k, a.sourceStride));
    Value ahead = t.add(row, t.mul(a.sourceStride, kRowsAhead));
    Value first = t.add(a.targetAt, t.mul(k, panelColumns));
    auto placeOf = [&](Value column, int64_t lane) {
      Value panel = t.mul(t.div(column, panelColumns), a.panelStride);
      return t.add(t.add(first, panel), lane);
    };
    auto whole = [&](Value column) {
      for (int64_t lane = 0; lane < panelColumns; lane += kTileLanes) {
        from.prefetch(t.add(t.add(ahead, column), lane));
        to.store(from.load(t.add(t.add(row, column), lane), kTileLanes),
                 placeOf(column, lane));
      }
    };
    auto rest = [&](Value column, Value count) {
      for (int64_t lane = 0; lane < panelColumns; lane += kTileLanes) {
        Value left = t.max(t.sub(count, t.index(lane)), t.index(0));
        to.store(
            from.loadSome(t.add(t.add(row, column), lane), kTileLanes, left),
            placeOf(column, lane));
      }
    };
    eachStep(t, a.columns, panelColumns, whole, rest);
  });
}

/// Sums with columns that do not exist are dropped.
void ProductRoutines::writePackRhsColumns(const TileCode &t,
                                          const PackRhs &a) const {
  t.each(t.index(0), a.columns, packLanes, [&](Value column) {
    Value panel = t.mul(t.div(column, panelColumns), a.panelStride);
    Value first = t.add(t.add(a.targetAt, panel), t.rem(column, panelColumns));
    packTransposed(t, a.from(), {a.target, first}, column,
                   t.sub(a.columns, t.index(1)), packLanes, a.depth,
                   panelColumns);
  });
}

//===----------------------------------------------------------------------===//
// The register block
//===----------------------------------------------------------------------===//

namespace {

/// The sums of a register block on their way into memory.
struct BlockResult {
  const TileCode &t;
  Floats memory;
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
    return t.plus(t.choose(adds, before, t.lanes(0.0)), sum);
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
  Floats packed;
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
    emitRegisterBlock(
        t, {rows, columns / kTileLanes, t.index(0), depth, /*isWhole=*/false,
            scalarAt, lanesAt, [&](int64_t, int64_t) { return t.lanes(0.0); },
            [&](Accumulators &sums) { result.store(sums); }, kSteps});
  }
};

} // namespace

void ProductRoutines::writeMultiply(const TileCode &t,
                                    const Multiply &a) const {
  Floats packed(t, a.packed), result(t, a.result);
  t.each(t.index(0), a.columns, panelColumns, [&](Value column) {
    Value panel =
        t.add(a.rhsAt, t.mul(t.div(column, panelColumns), a.panelStride));
    t.each(t.index(0), a.rows, blockRows, [&](Value row) {
      PackedBlock block{t,
                        packed,
                        blockRows,
                        panelColumns,
                        t.add(a.lhsAt, t.mul(row, a.depth)),
                        panel,
                        a.depth};
      Value place =
          t.add(t.add(a.resultAt, t.mul(row, a.resultStride)), column);
      block.multiply({t, result, place, a.resultStride, t.sub(a.rows, row),
                      t.sub(a.columns, column), a.adds});
    });
  });
}
