// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations for every word.
#include "passes/Lower/Cpu/TileCode.h"

#include "passes/Lower/ElementOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace accel;

TileCode::TileCode(OpBuilder &builder, Location loc)
    : builder(builder), loc(loc),
      floats(VectorType::get({kTileLanes}, builder.getF32Type())) {}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value TileCode::index(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value TileCode::add(Value a, Value b) const {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value TileCode::sub(Value a, Value b) const {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value TileCode::mul(Value a, Value b) const {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value TileCode::mul(Value a, int64_t b) const { return mul(a, index(b)); }

Value TileCode::div(Value a, int64_t b) const {
  return builder.createOrFold<arith::DivUIOp>(loc, a, index(b));
}

Value TileCode::rem(Value a, int64_t b) const {
  return builder.createOrFold<arith::RemUIOp>(loc, a, index(b));
}

Value TileCode::min(Value a, Value b) const {
  return builder.createOrFold<arith::MinUIOp>(loc, a, b);
}

Value TileCode::max(Value a, Value b) const {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value TileCode::isEqual(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                             b);
}

Value TileCode::isLess(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}

Value TileCode::choose(Value condition, Value a, Value b) const {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Value TileCode::constantTrue() const {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value TileCode::lanes(double value) const {
  return emitNumber(builder, loc, floats, value);
}

Value TileCode::scalar(double value) const {
  return emitNumber(builder, loc, builder.getF32Type(), value);
}

Value TileCode::splat(Value scalar) const {
  return vector::BroadcastOp::create(builder, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value TileCode::fma(Value a, Value b, Value c) const {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value TileCode::plus(Value a, Value b) const {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value TileCode::minus(Value a, Value b) const {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value TileCode::times(Value a, Value b) const {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value TileCode::over(Value a, Value b) const {
  return arith::DivFOp::create(builder, loc, a, b);
}

Value TileCode::negated(Value a) const {
  return arith::NegFOp::create(builder, loc, a);
}

Value TileCode::magnitude(Value a) const {
  return math::AbsFOp::create(builder, loc, a);
}

Value TileCode::exp(Value a) const {
  return math::ExpOp::create(builder, loc, a);
}

Value TileCode::log(Value a) const {
  return math::LogOp::create(builder, loc, a);
}

Value TileCode::larger(Value a, Value b) const {
  Value isLarger =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  return select(isLarger, a, b);
}

Value TileCode::equals(Value a, Value b) const {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
}

Value TileCode::select(Value mask, Value a, Value b) const {
  return arith::SelectOp::create(builder, loc, mask, a, b);
}

Value TileCode::lanesThat(arith::CmpIPredicate how, Value x) const {
  Type i32 = builder.getI32Type();
  SmallVector<int32_t> numbers(kTileLanes);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    number = static_cast<int32_t>(i);
  }
  Value lane = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(vectorOf(i32), ArrayRef<int32_t>(numbers)));
  Value other = splat(arith::IndexCastOp::create(builder, loc, i32, x));
  return arith::CmpIOp::create(builder, loc, how, lane, other);
}

Value TileCode::isNegative(Value a) const {
  VectorType integers = vectorOf(builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, integers, a);
  Value zero = emitNumber(builder, loc, integers, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, bits,
                               zero);
}

Value TileCode::sumLanes(Value a) const {
  for (int64_t distance = kTileLanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < kTileLanes; ++lane) {
      from.push_back(lane ^ distance);
    }
    a = plus(a, vector::ShuffleOp::create(builder, loc, a, a, from));
  }
  return vector::ExtractOp::create(builder, loc, a, ArrayRef<int64_t>{0});
}

TileCode::Values TileCode::transpose(Values rows) const {
  auto count = static_cast<int64_t>(rows.size());
  auto shuffle = [&](Value a, Value b,
                     llvm::function_ref<int64_t(int64_t)> from) -> Value {
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < count; ++lane) {
      lanes.push_back(from(lane));
    }
    return vector::ShuffleOp::create(builder, loc, a, b, lanes);
  };
  // Bit s of a lane's number is exchanged with bit s of its row's.
  for (int64_t s = 1; s < count; s *= 2) {
    Values next(rows.size());
    for (int64_t i = 0; i < count; ++i) {
      if ((i & s) != 0) {
        continue;
      }
      next[i] = shuffle(rows[i], rows[i + s], [&](int64_t lane) {
        return (lane & s) != 0 ? count + (lane ^ s) : lane;
      });
      next[i + s] = shuffle(rows[i], rows[i + s], [&](int64_t lane) {
        return (lane & s) != 0 ? count + lane : lane ^ s;
      });
    }
    rows = next;
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TileCode::Values TileCode::loop(Value first, Value last, int64_t step,
                                const Values &carried, LoopBody body) const {
  auto loop =
      scf::ForOp::create(builder, loc, first, last, index(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  if (!carried.empty()) {
    scf::YieldOp::create(builder, loc, next);
  }
  return Values(loop.getResults());
}

void TileCode::each(Value first, Value last, int64_t step,
                    llvm::function_ref<void(Value)> body) const {
  loop(first, last, step, {}, [&](Value i, const Values &) {
    body(i);
    return Values();
  });
}

TileCode::Values TileCode::onlyIf(Value condition, const Values &values,
                                  llvm::function_ref<Values()> body) const {
  if (matchPattern(condition, m_One())) {
    return body();
  }
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(values).getTypes(), condition,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, body());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, values);
  return Values(branch.getResults());
}

void TileCode::onlyIf(Value condition, llvm::function_ref<void()> body,
                      llvm::function_ref<void()> otherwise) const {
  if (matchPattern(condition, m_One())) {
    return body();
  }
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  if (otherwise) {
    builder.setInsertionPointToStart(branch.elseBlock());
    otherwise();
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TileRows::TileRows(const TileCode &code, Value buffer, Value offset,
                   int64_t rows, int64_t columns, int64_t rowStride)
    : code(&code), columns(columns) {
  OpBuilder &builder = code.getBuilder();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, {rowStride, 1});
  auto type = MemRefType::get({rows, columns}, element, layout);
  memory = memref::ReinterpretCastOp::create(
      builder, code.getLoc(), type, buffer, OpFoldResult(offset),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(rows),
                             builder.getIndexAttr(columns)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(rowStride),
                             builder.getIndexAttr(1)});
}

Value TileRows::scalar(Value row, Value column) const {
  return memref::LoadOp::create(code->getBuilder(), code->getLoc(), memory,
                                ValueRange{row, column});
}

/// Which of sixteen lanes from `column` on exist.
Value TileRows::existing(int64_t column) const {
  OpBuilder &builder = code->getBuilder();
  SmallVector<bool> bits;
  for (int64_t lane = 0; lane < kTileLanes; ++lane) {
    bits.push_back(column + lane < columns);
  }
  return arith::ConstantOp::create(
      builder, code->getLoc(),
      DenseElementsAttr::get(code->vectorOf(builder.getI1Type()),
                             ArrayRef<bool>(bits)));
}

Value TileRows::lanes(Value row, int64_t column) const {
  Value at = code->index(column);
  if (column + kTileLanes <= columns) {
    return allLanes(row, at);
  }
  VectorType type =
      code->vectorOf(cast<MemRefType>(memory.getType()).getElementType());
  return vector::MaskedLoadOp::create(code->getBuilder(), code->getLoc(), type,
                                      memory, ValueRange{row, at},
                                      existing(column), code->lanes(0.0));
}

Value TileRows::lanes(Value row, Value column) const {
  std::optional<int64_t> constant = getConstantIntValue(column);
  return constant ? lanes(row, *constant) : allLanes(row, column);
}

Value TileRows::allLanes(Value row, Value column) const {
  VectorType type =
      code->vectorOf(cast<MemRefType>(memory.getType()).getElementType());
  return vector::LoadOp::create(code->getBuilder(), code->getLoc(), type,
                                memory, ValueRange{row, column});
}

Value TileRows::someLanes(Value row, Value column, Value otherwise) const {
  OpBuilder &builder = code->getBuilder();
  Value left = code->sub(code->index(columns), column);
  Value exists = code->lanesThat(arith::CmpIPredicate::slt, left);
  return vector::MaskedLoadOp::create(
      builder, code->getLoc(), otherwise.getType(), memory,
      ValueRange{row, column}, exists, otherwise);
}

void TileRows::store(Value lanes, Value row, int64_t column) const {
  Value at = code->index(column);
  if (column + kTileLanes <= columns) {
    return storeAll(lanes, row, at);
  }
  vector::MaskedStoreOp::create(code->getBuilder(), code->getLoc(), memory,
                                ValueRange{row, at}, existing(column), lanes);
}

void TileRows::store(Value lanes, Value row, Value column) const {
  std::optional<int64_t> constant = getConstantIntValue(column);
  constant ? store(lanes, row, *constant) : storeAll(lanes, row, column);
}

void TileRows::storeAll(Value lanes, Value row, Value column) const {
  vector::StoreOp::create(code->getBuilder(), code->getLoc(), lanes, memory,
                          ValueRange{row, column});
}

void TileRows::storeScalar(Value scalar, Value row, Value column) const {
  memref::StoreOp::create(code->getBuilder(), code->getLoc(), scalar, memory,
                          ValueRange{row, column});
}
