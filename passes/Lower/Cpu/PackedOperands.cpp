// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of the right matrix lie in front of rows of the left one.
#include "passes/Lower/Cpu/PackedOperands.h"

using namespace mlir;
using namespace accel;

PackedOperands::PackedOperands(KernelEmitter &emitter,
                               const ProductTiles &tiles,
                               const PackedFormat &format)
    : t(emitter.getBuilder(), emitter.getLoc()), tiles(tiles), format(format),
      workspace(emitter.getWorkspace()),
      registers(ProductBlock::get(emitter.getGeometry().getVectors())),
      packing(emitter.getKernel()->getParentOfType<ModuleOp>(), registers,
              format),
      multiplication(emitter.getKernel()->getParentOfType<ModuleOp>(),
                     registers, format) {}

void PackedOperands::packRhs(const ProductMatrix &part, Value columns,
                             const DepthBlock &block) const {
  packing.packRhs(t, part, {workspace, t.index(0)}, panelStride(), columns,
                  block.depth);
}

void PackedOperands::packLhs(const ProductMatrix &part, Value rows,
                             const DepthBlock &block) const {
  packing.packLhs(t, part, {workspace, lhsAt()}, rows, block.depth);
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
