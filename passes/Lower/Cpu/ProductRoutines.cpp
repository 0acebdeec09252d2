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

/// Calls function `name`, whose body is written if it is not there yet.
void ProductRoutines::call(const TileCode &t, StringRef name,
                           const Values &operands, Body body) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  Values passed;
  for (Value operand : operands) {
    auto memory = dyn_cast<MemRefType>(operand.getType());
    if (memory) {
      MemRefType type = floatsType(builder);
      operand = memref::ReinterpretCastOp::create(
          builder, loc, type, operand, OpFoldResult(builder.getIndexAttr(0)),
          ArrayRef<OpFoldResult>{builder.getIndexAttr(type.getDimSize(0))},
          ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
    }
    passed.push_back(operand);
  }
  func::FuncOp routine =
      getRoutine(module, loc, name,
                 builder.getFunctionType(ValueRange(passed).getTypes(), {}),
                 [&](OpBuilder &inside, ValueRange arguments) -> Values {
                   (this->*body)(TileCode(inside, loc), Values(arguments));
                   return {};
                 });
  func::CallOp::create(builder, loc, routine, passed);
}

void ProductRoutines::packLhs(const TileCode &t, const Matrix &from,
                              const Packed &to, Value rows, Value depth) const {
  bool byColumns = from.isTransposed;
  call(t, byColumns ? "product.pack_lhs_columns" : "product.pack_lhs_rows",
       {from.buffer, from.at, from.stride, to.buffer, to.at, rows, depth},
       byColumns ? &ProductRoutines::writePackLhsColumns
                 : &ProductRoutines::writePackLhsRows);
}

void ProductRoutines::packRhs(const TileCode &t, const Matrix &from,
                              const Packed &to, Value panelStride,
                              Value columns, Value depth) const {
  bool byColumns = from.isTransposed;
  call(t, byColumns ? "product.pack_rhs_columns" : "product.pack_rhs_rows",
       {from.buffer, from.at, from.stride, to.buffer, to.at, panelStride,
        columns, depth},
       byColumns ? &ProductRoutines::writePackRhsColumns
                 : &ProductRoutines::writePackRhsRows);
}

void ProductRoutines::multiply(const TileCode &t, const Packed &lhs,
                               const Packed &rhs, Value panelStride,
                               Value depth, const Matrix &result, Value rows,
                               Value columns, Value adds) const {
  call(t, "product.multiply",
       {lhs.buffer, lhs.at, rhs.at, panelStride, depth, result.buffer,
        result.at, result.stride, rows, columns, adds},
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
                                       const Values &arguments) const {
  Value rows = arguments[5], depth = arguments[6];
  t.each(t.index(0), rows, blockRows, [&](Value first) {
    packTransposed(t, {arguments[0], arguments[1], arguments[2]},
                   {arguments[3], t.add(arguments[4], t.mul(first, depth))},
                   first, t.sub(rows, t.index(1)), blockRows, depth, blockRows);
  });
}

/// Columns lie as they are wanted: their part of a row is read at once, and
/// block by block in vectors that reach into no other block, until the last.
void ProductRoutines::writePackLhsColumns(const TileCode &t,
                                          const Values &arguments) const {
  Floats from(t, arguments[0]), to(t, arguments[3]);
  Value at = arguments[1], stride = arguments[2], target = arguments[4];
  Value depth = arguments[6];
  int64_t larger = llvm::bit_floor(static_cast<uint64_t>(blockRows));
  t.each(t.index(0), depth, 1, [&](Value k) {
    Value source = t.add(at, t.mul(k, stride));
    Value place = t.add(target, t.mul(k, blockRows));
    Value ahead = t.add(source, t.mul(stride, kRowsAhead));
    for (int64_t lane = 0; lane < ProductTiles::kPackedRows;
         lane += kTileLanes) {
      from.prefetch(t.add(ahead, lane));
    }
    auto whole = [&](Value row) {
      for (auto [first, lanes] :
           {std::pair(int64_t(0), larger), {larger, blockRows - larger}}) {
        to.store(from.load(t.add(t.add(source, row), first), lanes),
                 t.add(t.add(place, t.mul(row, depth)), first));
      }
    };
    auto rest = [&](Value row, Value count) {
      to.store(from.loadSome(t.add(source, row), packLanes, count),
               t.add(place, t.mul(row, depth)));
    };
    eachStep(t, arguments[5], blockRows, whole, rest);
  });
}

//===----------------------------------------------------------------------===//
// The right matrix
//===----------------------------------------------------------------------===//

/// Row after row, so that a page is left only once.
void ProductRoutines::writePackRhsRows(const TileCode &t,
                                       const Values &arguments) const {
  Floats from(t, arguments[0]), to(t, arguments[3]);
  Value at = arguments[1], stride = arguments[2], target = arguments[4];
  Value panelStride = arguments[5], columns = arguments[6];
  t.each(t.index(0), arguments[7], 1, [&](Value k) {
    Value row = t.add(at, t.mul(k, stride));
    Value ahead = t.add(row, t.mul(stride, kRowsAhead));
    Value first = t.add(target, t.mul(k, panelColumns));
    auto placeOf = [&](Value column, int64_t lane) {
      Value panel = t.mul(t.div(column, panelColumns), panelStride);
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
    eachStep(t, columns, panelColumns, whole, rest);
  });
}

/// Sums with columns that do not exist are dropped.
void ProductRoutines::writePackRhsColumns(const TileCode &t,
                                          const Values &arguments) const {
  Value target = arguments[4], panelStride = arguments[5];
  Value columns = arguments[6];
  t.each(t.index(0), columns, packLanes, [&](Value column) {
    Value panel = t.mul(t.div(column, panelColumns), panelStride);
    Value first = t.add(t.add(target, panel), t.rem(column, panelColumns));
    packTransposed(t, {arguments[0], arguments[1], arguments[2]},
                   {arguments[3], first}, column, t.sub(columns, t.index(1)),
                   packLanes, arguments[7], panelColumns);
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
                                    const Values &arguments) const {
  Floats packed(t, arguments[0]), result(t, arguments[5]);
  Value rhs = arguments[2], panelStride = arguments[3], depth = arguments[4];
  Value at = arguments[6], stride = arguments[7];
  Value rows = arguments[8], columns = arguments[9];
  t.each(t.index(0), columns, panelColumns, [&](Value column) {
    Value panel = t.add(rhs, t.mul(t.div(column, panelColumns), panelStride));
    t.each(t.index(0), rows, blockRows, [&](Value row) {
      PackedBlock block{t,
                        packed,
                        blockRows,
                        panelColumns,
                        t.add(arguments[1], t.mul(row, depth)),
                        panel,
                        depth};
      Value place = t.add(t.add(at, t.mul(row, stride)), column);
      block.multiply({t, result, place, stride, t.sub(rows, row),
                      t.sub(columns, column), arguments[10]});
    });
  });
}
