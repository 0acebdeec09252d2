// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of the right matrix lie in front of rows of the left one.
#include "passes/Lower/Cpu/PackedOperands.h"

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

void PackedOperands::packRhs(const ProductMatrix &part, Value columns,
                             const DepthBlock &block) const {
  rhsPacking.packRhs(t, part, {workspace, t.index(0)}, panelStride(), columns,
                     block.depth);
}

void PackedOperands::packLhs(const ProductMatrix &part, Value rows,
                             const DepthBlock &block) const {
  lhsPacking.packLhs(t, part, {workspace, lhsAt()}, rows, block.depth);
}

void PackedOperands::multiply(Value rows, Value columns,
                              const DepthBlock &block,
                              const ProductMatrix &sums, Value adds) const {
  PackedProduct product{.packed = workspace,
                        .lhsAt = lhsAt(),
                        .rhsAt = t.index(0),
                        .panelStride = panelStride(),
                        .rows = rows,
                        .columns = columns,
                        .depth = format.packedDepth(t, block.depth)};
  multiplication.multiply(t, product, sums, adds);
}
