// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors, products, masks and dropout of attention kernels.
#include "passes/Lower/Cpu/AttentionCode.h"

#include "passes/Lower/ElementOps.h"
#include "passes/Lower/Philox.h"
#include "passes/Lower/RandomOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace accel;

AttentionCode::AttentionCode(KernelEmitter &emitter, Operation *op)
    : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
      tiles(AttentionTiles::get(op)),
      widest(emitter.getGeometry().getVectors()), op(op) {
  plan::CodeAttr geometry = emitter.getGeometry();
  if (geometry.getUnits() != tiles.units() || widest < 1 ||
      geometry.getWorkspace() < tiles.workspaceBytes()) {
    emitter.emitError(op) << "expected " << tiles.units()
                          << " units, register blocks of at least one vector "
                             "and a workspace of "
                          << tiles.workspaceBytes() << " bytes, got "
                          << geometry;
    return;
  }
  int64_t offset = 0;
  for (int64_t size : tiles.workspaceTiles()) {
    tileOffsets.push_back(offset);
    offset += size;
  }
  for (Type type : op->getOperandTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (isa<FloatType>(element) && !element.isF32()) {
      emitter.emitError(op) << "has no code for " << type;
      break;
    }
  }
  minusInfinity = t.lanes(-std::numeric_limits<double>::infinity());
  zero = t.lanes(0.0);
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    readOperands(forward);
  } else {
    readOperands(cast<AttentionGradOp>(op));
  }
}

template <typename OpTy> void AttentionCode::readOperands(OpTy attention) {
  query = getOperand(attention.getQuery());
  key = getOperand(attention.getKey());
  value = getOperand(attention.getValue());
  if (attention.getMask()) {
    mask = getOperand(attention.getMask());
    ArrayRef<int64_t> shape = shapeOf(attention.getMask());
    for (int64_t i = 0; i < 3; ++i) {
      mask.view.strides[i] = shape[i] == 1 ? 0 : mask.view.strides[i];
    }
  }
  scale = attention.getScale().convertToDouble();
  scaleLanes = t.lanes(scale);
  probability = attention.getProbability().convertToDouble();
  if (!drops()) {
    return;
  }
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  samples = emitter.getContiguous(op, attention.getSamples(), samplesOffset);
  Value seed = emitter.scalarAt(attention.getSeed(), emitter.number(0));
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  Value high = arith::ShRUIOp::create(builder, loc, seed, half);
  seedLanes = t.splat(arith::XOrIOp::create(builder, loc, seed, high));
  Value site =
      emitSite(emitter, loc, attention.getSite(), attention.getSiteOffset());
  siteLanes =
      t.splat(arith::ExtUIOp::create(builder, loc, builder.getI64Type(), site));
}

//===----------------------------------------------------------------------===//
// Tensors and tiles
//===----------------------------------------------------------------------===//

HeadTensor AttentionCode::getOperand(Value operand) {
  Value root = getViewRoot(operand, [](Value) { return false; });
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isTileOperand(operand, root)) {
    emitter.emitError(op)
        << "expected operands that lie in memory, the last dimension "
           "contiguous, got one of "
        << operand.getType() << " that does not";
    return {};
  }
  ArrayRef<int64_t> shape = shapeOf(operand);
  return {emitter.getBuffer(argument), *getStridedView(operand, root), shape[2],
          shape[3]};
}

HeadTensor AttentionCode::getResult(unsigned number) {
  Value result = op->getResult(number);
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    auto transpose = returned.getDefiningOp<TransposeOp>();
    bool isTransposed = transpose && transpose.getOperand() == result;
    if (returned != result && !isTransposed) {
      continue;
    }
    SmallVector<int64_t> strides(4, 0);
    ArrayRef<int64_t> shape = shapeOf(returned);
    int64_t stride = 1;
    for (int64_t axis = 3; axis >= 0; --axis) {
      strides[isTransposed ? transpose.getPermutation()[axis] : axis] = stride;
      stride *= shape[axis];
    }
    return {emitter.getResultBuffer(i),
            {0, strides},
            shapeOf(result)[2],
            shapeOf(result)[3]};
  }
  return {};
}

Value AttentionCode::getRowBuffer(unsigned number) {
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    if (returned == op->getResult(number)) {
      return emitter.getResultBuffer(i);
    }
  }
  return {};
}

TileRows AttentionCode::getHead(const HeadTensor &tensor, Value batch,
                                Value head) const {
  ArrayRef<int64_t> strides = tensor.view.strides;
  Value offset = t.add(t.mul(batch, strides[0]), t.mul(head, strides[1]));
  // A stride is not zero, even where no step is made.
  return {t,           tensor.buffer,  t.add(offset, tensor.view.offset),
          tensor.rows, tensor.columns, std::max<int64_t>(1, strides[2])};
}

TileRows AttentionCode::getTile(unsigned number, int64_t columns) const {
  int64_t size = tiles.workspaceTiles()[number];
  return {t,
          emitter.getWorkspace(),
          t.index(tileOffsets[number]),
          size / columns,
          columns,
          columns};
}

Value AttentionCode::sizeOf(Value block, int64_t total) const {
  if (total % kTile == 0) {
    return t.index(kTile);
  }
  return t.min(t.sub(t.index(total), t.mul(block, kTile)), t.index(kTile));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// As many accumulators as fit into the registers; a divisor of 16, so that
/// tiles on the diagonal are cut between blocks.
int64_t AttentionCode::rowsOfBlock(int64_t vectors) const {
  if (widest == 1 || vectors >= 3) {
    return 4;
  }
  return vectors == 2 ? 8 : 16;
}

/// Five vectors are 3 + 2, not 4 + 1; panels of one width share their code.
void AttentionCode::eachPanel(
    int64_t first, int64_t last, int64_t whole,
    llvm::function_ref<void(const Panel &)> body) const {
  int64_t end = std::min(last, whole);
  int64_t panels = llvm::divideCeil(end - first, widest);
  if (panels > 1 && (end - first) % panels == 0) {
    int64_t count = (end - first) / panels;
    t.each(t.index(first * kTileLanes), t.index(end * kTileLanes),
           count * kTileLanes, [&](Value lane) { body({lane, count}); });
    first = end;
  }
  for (; first < end; --panels) {
    int64_t count = llvm::divideCeil(end - first, panels);
    body({t.index(first * kTileLanes), count});
    first += count;
  }
  if (first < last) {
    body({t.index(first * kTileLanes), 1});
  }
}

void AttentionCode::storeBlock(const Accumulators &block,
                               const TileRows &target, Value row,
                               const Panel &panel) const {
  for (auto [r, lanes] : llvm::enumerate(block)) {
    for (auto [v, sum] : llvm::enumerate(lanes)) {
      target.store(sum, t.add(row, r), laneOf(panel, v));
    }
  }
}

void AttentionCode::eachGroup(
    Value first, Value last, int64_t step, int64_t total,
    llvm::function_ref<void(int64_t, Value)> body) const {
  if (total % step == 0) {
    return t.each(first, last, step, [&](Value i) { body(step, i); });
  }
  Value groups = t.div(t.sub(last, first), step);
  Value middle = t.add(first, t.mul(groups, step));
  t.each(first, middle, step, [&](Value i) { body(step, i); });
  t.each(middle, last, 1, [&](Value i) { body(1, i); });
}

void AttentionCode::packTransposed(const TileRows &source, Value row,
                                   int64_t total, const TileRows &tile) const {
  t.each(kTile, kTileLanes, [&](Value i) {
    std::array<Value, kTileLanes> from;
    for (auto [k, each] : llvm::enumerate(from)) {
      each = t.add(t.add(row, i), k);
      each = total % kTile == 0 ? each : t.min(each, t.index(total - 1));
    }
    auto pack = [&](Value d) {
      Values lanes(kTileLanes);
      for (auto [k, each] : llvm::enumerate(lanes)) {
        each = source.lanes(from[k], d);
      }
      lanes = t.transpose(lanes);
      for (auto [k, each] : llvm::enumerate(lanes)) {
        tile.storeAll(each, t.add(d, k), i);
      }
    };
    int64_t rest = source.getColumns() % kTileLanes;
    int64_t whole = source.getColumns() - rest;
    t.each(whole, kTileLanes, pack);
    if (rest != 0) {
      pack(t.index(whole));
    }
  });
}

void AttentionCode::clear(const TileRows &tile, Value rows) const {
  t.each(t.index(0), rows, 1, [&](Value row) {
    for (int64_t x = 0; x < tile.getColumns(); x += kTileLanes) {
      tile.store(zero, row, x);
    }
  });
}

TileSource AttentionCode::gatherRows(const HeadTensor &tensor,
                                     const TileRows &rows, Value first,
                                     Value count, unsigned number) const {
  if (tensor.view.strides[2] == tensor.columns) {
    return {rows, first};
  }
  TileRows tile = getTile(number, llvm::alignTo(tensor.columns, kTileLanes));
  t.each(t.index(0), count, 1, [&](Value row) {
    for (int64_t x = 0; x < tensor.columns; x += kTileLanes) {
      tile.storeAll(rows.lanes(t.add(first, row), x), row, t.index(x));
    }
  });
  return {tile, t.index(0)};
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TileRows AttentionCode::getMask(Value batch, Value head) const {
  return getHead(mask, batch, head);
}

Value AttentionCode::maskLanes(const TileRows &rows, Value row,
                               Value column) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  Value at = hasRepeatedRows() ? t.index(0) : row;
  bool isWhole = tiles.columns % kTile == 0;
  if (cast<MemRefType>(mask.buffer.getType()).getElementType().isF32()) {
    return isWhole ? rows.allLanes(at, column)
                   : rows.someLanes(at, column, minusInfinity);
  }
  Value none = emitNumber(builder, loc, t.vectorOf(builder.getI8Type()), 0);
  Value flags =
      isWhole ? rows.allLanes(at, column) : rows.someLanes(at, column, none);
  Value isAllowed = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, flags, none);
  return t.select(isAllowed, zero, minusInfinity);
}

Value AttentionCode::maskScalar(const TileRows &rows, Value column) const {
  OpBuilder &builder = t.getBuilder();
  Value number = rows.scalar(t.index(0), column);
  if (number.getType().isF32()) {
    return t.splat(number);
  }
  Value none = emitNumber(builder, t.getLoc(), number.getType(), 0);
  Value isAllowed = arith::CmpIOp::create(
      builder, t.getLoc(), arith::CmpIPredicate::ne, number, none);
  return t.select(isAllowed, zero, minusInfinity);
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Lanes of i64 with an index in each.
Value AttentionCode::wide(Value index) const {
  OpBuilder &builder = t.getBuilder();
  return t.splat(arith::IndexCastOp::create(builder, t.getLoc(),
                                            builder.getI64Type(), index));
}

AttentionCode::DropoutKey AttentionCode::getDropoutKey(Value batch) const {
  if (!drops()) {
    return {};
  }
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  Value sample = memref::LoadOp::create(
      builder, loc, samples, ValueRange{t.add(batch, samplesOffset)});
  Value half = emitNumber(builder, loc, builder.getI64Type(), 32);
  return {seedLanes, siteLanes, t.splat(sample),
          t.splat(arith::ShRUIOp::create(builder, loc, sample, half))};
}

/// `first + lane * step`, 64 bits wide.
static Value countUp(const TileCode &t, Value first, int64_t step) {
  OpBuilder &builder = t.getBuilder();
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < kTileLanes; ++lane) {
    steps.push_back(lane * step);
  }
  Value lanes = arith::ConstantOp::create(
      builder, t.getLoc(),
      DenseElementsAttr::get(t.vectorOf(builder.getI64Type()),
                             ArrayRef<int64_t>(steps)));
  return arith::AddIOp::create(builder, t.getLoc(), first, lanes);
}

std::array<Value, 4> AttentionCode::wordsAlongRows(const DropoutKey &key,
                                                   Value head, Value row,
                                                   Value block, Value c) const {
  int64_t blocks = tiles.columnBlocks();
  Value line = t.add(t.mul(head, tiles.rows), row);
  Value first = t.add(t.mul(t.add(t.mul(line, blocks), block), kTileLanes), c);
  return words(key, countUp(t, wide(first), kTileLanes * blocks));
}

std::array<Value, 4> AttentionCode::wordsAlongColumns(const DropoutKey &key,
                                                      Value head, Value row,
                                                      Value block) const {
  Value line = t.add(t.mul(head, tiles.rows), row);
  Value tile = t.add(t.mul(line, tiles.columnBlocks()), block);
  return words(key, countUp(t, wide(t.mul(tile, kTileLanes)), 1));
}

std::array<Value, 4> AttentionCode::words(const DropoutKey &key,
                                          Value counters) const {
  OpBuilder &builder = t.getBuilder();
  Location loc = t.getLoc();
  Value half = emitNumber(builder, loc, t.vectorOf(builder.getI64Type()), 32);
  return emitPhiloxLanes(builder, loc, key.seed, key.site,
                         {counters,
                          arith::ShRUIOp::create(builder, loc, counters, half),
                          key.sampleLow, key.sampleHigh});
}

Value AttentionCode::isDropped(Value word) const {
  OpBuilder &builder = t.getBuilder();
  std::optional<uint32_t> threshold = getLeastKeptWord(probability);
  Value least =
      emitNumber(builder, t.getLoc(), t.vectorOf(builder.getI32Type()),
                 static_cast<int32_t>(threshold.value_or(~uint32_t(0))));
  // All words are at most the largest.
  auto how = threshold ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ule;
  return arith::CmpIOp::create(builder, t.getLoc(), how, word, least);
}
