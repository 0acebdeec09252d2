// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles, the rows that they find, and what threads keep.
#include "passes/Lower/Cuda/GroupedWarp.h"

#include "passes/Analysis/TensorAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace accel;

GroupedWarp::GroupedWarp(KernelEmitter &emitter, Operation *op,
                         ArrayRef<int64_t> alignments)
    : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
      indices(builder, loc), m(builder, loc, builder.getF32Type()),
      tiles(GroupedWarpTiles::get(op)), lhs(getMemory(op, 0, alignments)),
      rhs(getMemory(op, 1, alignments)), result(getResult(op, alignments)),
      chosen(getChosen(op)), storing(emitter.getStoring(0)) {}

GroupedMemory GroupedWarp::getMemory(Operation *op, unsigned operand,
                                     ArrayRef<int64_t> alignments) {
  Value value = op->getOperand(operand);
  int64_t first = 0, alignment = 1;
  Value buffer = emitter.getContiguous(op, value, first);
  auto argument = dyn_cast<BlockArgument>(getViewRoot(value));
  if (argument && !alignments.empty()) {
    alignment = alignments[argument.getArgNumber()];
  }
  return {builder, loc, buffer, first, elementTypeOf(value), alignment};
}

GroupedMemory GroupedWarp::getResult(Operation *op,
                                     ArrayRef<int64_t> alignments) {
  int64_t alignment = alignments.empty()
                          ? 1
                          : alignments[emitter.getKernel().getNumArguments()];
  return {builder,
          loc,
          emitter.getResultBuffer(0),
          /*first=*/0,
          elementTypeOf(op->getResult(0)),
          alignment};
}

ChosenRows GroupedWarp::getChosen(Operation *op) {
  int64_t first = 0;
  Value buffer = emitter.getContiguous(op, op->getOperand(2), first);
  return {emitter, buffer, first};
}

void GroupedWarp::forEachTile(llvm::function_ref<void(const Tile &)> body) {
  int64_t blocks = tiles.columnBlocks(), parts = tiles.parts();
  int64_t rows = tiles.isOuter ? tiles.outerRows() : tiles.sliceRows();
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value number) {
    Value column = indices.rem(number, blocks);
    Value part = indices.div(number, blocks);
    Tile tile{indices.div(part, parts), {}, {}, {}};
    tile.begin = indices.mul(tile.matrix, tiles.inner * tiles.columns);
    tile.row = indices.mul(indices.rem(part, parts), rows);
    tile.column = indices.mul(column, GroupedWarpTiles::kColumns);
    if (tiles.skipsOthers && !tiles.isOuter) {
      clearOthers(tile);
    }
    body(tile);
  });
}

void GroupedWarp::clearOthers(const Tile &tile) {
  Value end = indices.min(indices.add(tile.row, tiles.sliceRows()),
                          indices.index(tiles.rows));
  Value first = indices.add(
      tile.column, indices.mul(WarpOps(builder, loc).threadIndex(), kCleared));
  auto clear = [&](Value row) {
    Value begin = indices.mul(row, tiles.columns);
    for (int64_t i = 0; i < kCleared; ++i) {
      Value column = indices.add(first, i);
      emitter.onlyIf(
          indices.isBelow(column, indices.index(tiles.columns)), [&] {
            result.store({m.number(0.0)}, indices.add(begin, column), 1);
          });
    }
  };
  Value isCleared = indices.both(indices.isEqual(tile.matrix, indices.index(0)),
                                 emitIsReplaced(indices, storing));
  emitter.onlyIf(isCleared, [&] {
    emitter.forEach(tile.row, end, 1, [&](Value row) {
      Value isChosen =
          indices.isBelow(chosen.getIndex(row), indices.index(tiles.matrices));
      emitter.onlyIf(indices.isNot(isChosen), [&] { clear(row); });
    });
  });
}

void GroupedWarp::forEachRows(
    const Tile &tile, int64_t most,
    llvm::function_ref<void(const FoundRows &)> body) {
  Value all = indices.index(tiles.rows);
  if (tiles.isOuter) {
    return chosen.forEach(tile.matrix, indices.index(0), all, most, body);
  }
  Value end = indices.min(indices.add(tile.row, tiles.sliceRows()), all);
  chosen.forEach(tile.matrix, tile.row, end, most, body);
}

GroupedWarp::Values GroupedWarp::loadIf(Value condition, int64_t count,
                                        llvm::function_ref<Values()> load) {
  SmallVector<Type> floats(count, builder.getF32Type());
  auto branch = scf::IfOp::create(builder, loc, floats, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, Values(count, m.number(0.0)));
  return Values(branch.getResults());
}

GroupedWarp::Values
GroupedWarp::loadInitial(Value condition, int64_t count,
                         llvm::function_ref<Values()> load) {
  if (!storing.adds) {
    return Values(count, m.number(0.0));
  }
  Value isRead =
      storing.kept ? indices.both(condition, storing.kept) : condition;
  return loadIf(isRead, count, load);
}

GroupedWarp::Values GroupedWarp::makeNumbers(int64_t count) {
  Values numbers(count);
  for (Value &each : numbers) {
    each = emitter.allocate(builder.getF32Type(), {});
  }
  return numbers;
}

GroupedWarp::Values GroupedWarp::get(ArrayRef<Value> numbers) const {
  return llvm::map_to_vector(
      numbers, [&](Value number) { return emitter.getNumber(number); });
}

void GroupedWarp::set(ArrayRef<Value> numbers, ArrayRef<Value> values) const {
  for (auto [number, value] : llvm::zip_equal(numbers, values)) {
    emitter.setNumber(number, value);
  }
}

GroupedWarp::Values
GroupedWarp::loop(int64_t first, int64_t last, int64_t step, Values carried,
                  llvm::function_ref<Values(Value, Values)> body) {
  if (first >= last) {
    return carried;
  }
  auto loop =
      scf::ForOp::create(builder, loc, indices.index(first),
                         indices.index(last), indices.index(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, next);
  return Values(loop.getResults());
}
