// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of the right matrix lie in front of rows of the left one.
#include "passes/Lower/Cpu/PackedOperands.h"

#include "passes/Lower/Cpu/WindowCopy.h"

using namespace mlir;
using namespace accel;

PackedOperands::PackedOperands(KernelEmitter &emitter,
                               const ProductTiles &tiles,
                               const PackedFormat &lhs, const PackedFormat &rhs)
    : t(emitter.getBuilder(), emitter.getLoc()), tiles(tiles), format(lhs),
      workspace(emitter.getWorkspace()),
      registers(ProductBlock::get(emitter.getGeometry().getVectors())),
      lhsPacking(emitter.getKernel()->getParentOfType<ModuleOp>(), registers,
                 lhs),
      rhsPacking(emitter.getKernel()->getParentOfType<ModuleOp>(), registers,
                 rhs),
      multiplication(emitter.getKernel()->getParentOfType<ModuleOp>(),
                     registers, lhs) {}

/// What lies from an element on. `isSummedByRow`: the summed index is `row`,
/// else `column`.
PackRoutines::Part PackedOperands::getPart(const ProductOperand &operand,
                                           Value row, Value column,
                                           bool isSummedByRow) const {
  if (operand.numbers.windows) {
    bool isTransposed = operand.numbers.isTransposed;
    return {operand.numbers,
            {},
            {},
            isTransposed ? column : row,
            isTransposed ? row : column};
  }
  PackRoutines::Part part{operand.numbers.from(t, row, column), {}, {}};
  if (operand.areScaled()) {
    Value &summed = isSummedByRow ? row : column;
    part.ahead = t.rem(summed, format.block());
    summed = t.div(summed, format.block());
    part.scales = operand.scales.from(t, row, column);
  }
  return part;
}

/// A copy, in the workspace, of rows and columns of a matrix of windows.
ProductMatrix PackedOperands::copyPart(const ProductMatrix &windows,
                                       ProductRange rows, ProductRange columns,
                                       bool isSummedByRow) const {
  if (windows.isTransposed) {
    std::swap(rows, columns);
  }
  bool isBlockLong = isSummedByRow == windows.isTransposed;
  Type element = FloatMemory(t, windows.buffer).getElement();
  int64_t perFloat = 32 / element.getIntOrFloatBitWidth();
  ProductMatrix copy{FloatMemory::castTo(t, workspace, element),
                     t.index(tiles.copyOffset() * perFloat),
                     t.index(tiles.copyStride(isBlockLong)),
                     windows.isTransposed};
  copyWindows(t, *windows.windows, windows, rows, columns, copy);
  return copy;
}

void PackedOperands::packRhs(const ProductOperand &rhs,
                             const ProductRange &columns,
                             const DepthBlock &block) const {
  if (tiles.copiesRhs) {
    Value all = columns.count(t);
    int64_t step = ProductTiles::kCopiedColumns;
    return t.each(t.index(0), all, step, [&](Value first) {
      Value count = t.min(t.sub(all, first), t.index(step));
      Value begin = t.add(columns.first, first);
      ProductMatrix copy =
          copyPart(rhs.numbers, {block.first, t.add(block.first, block.depth)},
                   {begin, t.add(begin, count)}, /*isSummedByRow=*/true);
      Value at = t.mul(t.div(first, registers.columns), panelStride());
      rhsPacking.packRhs(t, {copy, {}, {}}, {workspace, at}, panelStride(),
                         count, block.depth);
    });
  }
  rhsPacking.packRhs(
      t, getPart(rhs, block.first, columns.first, /*isSummedByRow=*/true),
      {workspace, t.index(0)}, panelStride(), columns.count(t), block.depth);
}

void PackedOperands::packLhs(const ProductOperand &lhs,
                             const ProductRange &rows,
                             const DepthBlock &block) const {
  if (tiles.copiesLhs) {
    ProductMatrix copy = copyPart(
        lhs.numbers, rows, {block.first, t.add(block.first, block.depth)},
        /*isSummedByRow=*/false);
    return lhsPacking.packLhs(t, {copy, {}, {}}, {workspace, lhsAt()},
                              rows.count(t), block.depth);
  }
  lhsPacking.packLhs(
      t, getPart(lhs, rows.first, block.first, /*isSummedByRow=*/false),
      {workspace, lhsAt()}, rows.count(t), block.depth);
}

MultipliedOperand PackedOperands::getRhs(const ProductOperand &rhs,
                                         const ProductRange &columns,
                                         const DepthBlock &block) const {
  if (tiles.readsRhs) {
    if (rhs.numbers.windows) {
      return {rhs.numbers, /*isPacked=*/false, block.first, columns.first};
    }
    return {rhs.numbers.from(t, block.first, columns.first),
            /*isPacked=*/false};
  }
  packRhs(rhs, columns, block);
  return {{workspace, t.index(0), panelStride()}, /*isPacked=*/true};
}

MultipliedOperand PackedOperands::getLhs(const ProductOperand &lhs,
                                         const ProductRange &rows,
                                         const DepthBlock &block) const {
  if (tiles.readsLhs) {
    return {lhs.numbers.from(t, rows.first, block.first), /*isPacked=*/false};
  }
  packLhs(lhs, rows, block);
  return {{workspace, lhsAt(), format.packedDepth(t, block.depth)},
          /*isPacked=*/true};
}

void PackedOperands::multiply(const MultipliedOperand &lhs,
                              const MultipliedOperand &rhs, Value rows,
                              Value columns, const DepthBlock &block,
                              const ProductMatrix &sums, Value adds) const {
  multiplication.multiply(t,
                          {lhs, rhs, rows, columns,
                           format.packedDepth(t, block.depth), tiles.rows,
                           tiles.columns},
                          sums, adds);
}
