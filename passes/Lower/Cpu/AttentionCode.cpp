// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands, tiles and products of attention kernels.
#include "passes/Lower/Cpu/AttentionCode.h"

#include <limits>

using namespace mlir;
using namespace accel;

AttentionCode::AttentionCode(KernelEmitter &emitter, Operation *op)
    : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
      m(t.floats()), tiles(AttentionTiles::get(op)),
      widest(emitter.getGeometry().getVectors()), op(op) {
  plan::CodeAttr geometry = emitter.getGeometry();
  if (geometry.getTiles() != tiles.launchTiles() || widest < 1 ||
      geometry.getWorkspace() < tiles.workspaceBytes()) {
    emitter.emitError(op) << "expected " << tiles.launchTiles()
                          << " tiles, register blocks of at least one vector "
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
    if (isa<FloatType>(element) && !element.isF32() && !element.isBF16() &&
        !element.isF16()) {
      emitter.emitError(op) << "has no code for " << type;
      break;
    }
  }
  minusInfinity = m.number(-std::numeric_limits<double>::infinity());
  zero = m.number(0.0);
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
  for (Value operand : {attention.getMask(), attention.getBias()}) {
    if (HeadTensor tensor = operand ? getOperand(operand) : HeadTensor()) {
      added.add(AttentionMask(t, tensor, shapeOf(operand)));
    }
  }
  scale = attention.getScale().convertToDouble();
  softcap = attention.getSoftcap().convertToDouble();
  scaleLanes = m.number(scale);
  double probability = attention.getProbability().convertToDouble();
  if (probability > 0.0) {
    dropout.emplace(
        emitter, op, tiles,
        AttentionDropout::Operands{attention.getSamples(), attention.getSeed(),
                                   static_cast<int64_t>(attention.getSite()),
                                   attention.getSiteOffset(), probability});
  }
}

Value AttentionCode::prepare(Value product) const {
  if (softcap != 0.0) {
    return m.mul(getBounded(product), m.number(softcap));
  }
  return scale > 0.0 ? product : m.mul(product, scaleLanes);
}

//===----------------------------------------------------------------------===//
// Tensors and tiles
//===----------------------------------------------------------------------===//

Value AttentionCode::getRowBuffer(unsigned number) {
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    if (returned == op->getResult(number)) {
      return emitter.getResultBuffer(i);
    }
  }
  return {};
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

TileRows AttentionCode::getTilePart(unsigned number, Value part, int64_t rows,
                                    int64_t stride, int64_t columns) const {
  Value first = t.add(t.mul(part, rows * stride), tileOffsets[number]);
  return {t, emitter.getWorkspace(), first, rows, columns, stride};
}

Value AttentionCode::sizeOf(Value block, int64_t total) const {
  if (total % kAttentionTile == 0) {
    return t.index(kAttentionTile);
  }
  return t.min(t.sub(t.index(total), t.mul(block, kAttentionTile)),
               t.index(kAttentionTile));
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
  t.each(kAttentionTile, kTileLanes, [&](Value i) {
    std::array<Value, kTileLanes> from;
    for (auto [k, each] : llvm::enumerate(from)) {
      each = t.add(t.add(row, i), k);
      each =
          total % kAttentionTile == 0 ? each : t.min(each, t.index(total - 1));
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
  if (tensor.view.strides[2] == tensor.columns &&
      !SmallFloat::get(tensor.element)) {
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
