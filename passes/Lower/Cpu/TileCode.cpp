// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes, loops and branches.
#include "passes/Lower/Cpu/TileCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// Vector lanes
//===----------------------------------------------------------------------===//

Value TileCode::splat(Value scalar) const {
  return vector::BroadcastOp::create(builder, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value TileCode::zeros(VectorType type) const {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
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
  return lanesOf(i32).compare(how, lane, splat(cast(x, i32)));
}

Value TileCode::sumLanes(Value a) const {
  for (int64_t distance = kTileLanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < kTileLanes; ++lane) {
      from.push_back(lane ^ distance);
    }
    a = floats().add(a, vector::ShuffleOp::create(builder, loc, a, a, from));
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

void TileCode::eachStep(Value count, int64_t step,
                        llvm::function_ref<void(Value)> whole,
                        llvm::function_ref<void(Value, Value)> rest) const {
  Value middle = mul(div(count, step), step);
  each(index(0), middle, step, whole);
  each(middle, count, step, [&](Value i) { rest(i, sub(count, i)); });
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
