// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice among the results of a kernel.
#include "passes/Lower/Cpu/ProductSums.h"

using namespace mlir;
using namespace accel;

std::optional<ProductSums> ProductSums::find(KernelEmitter &emitter,
                                             MatmulOp op,
                                             const ProductTiles &tiles) {
  bool hasOthers = false;
  for (Value value : emitter.getResults()) {
    hasOthers |= value != op.getResult();
    if (getNumElements(value) != emitter.getDomain().elements) {
      emitter.emitError(op)
          << "expected results of " << emitter.getDomain().elements
          << " elements, got " << value.getType();
      return std::nullopt;
    }
  }
  IndexArithmetic t(emitter.getBuilder(), emitter.getLoc());
  std::optional<unsigned> chosen = findSums(emitter.getKernel(), op);
  if (!chosen) {
    return ProductSums({emitter.getWorkspace(), t.index(tiles.sumsOffset()),
                        t.index(tiles.packedColumns)},
                       Storing(), /*isKept=*/true);
  }
  Storing storing = emitter.getStoring(*chosen);
  if (storing.adds && hasOthers) {
    emitter.emitError(op) << "expected no other result beside a product that "
                             "is added to what is there";
    return std::nullopt;
  }
  ProductMatrix matrix{emitter.getResultBuffer(*chosen), t.index(0),
                       t.index(shapeOf(op.getResult()).back())};
  return ProductSums(matrix, storing, /*isKept=*/false);
}

Value ProductSums::adds(const IndexArithmetic &t,
                        const DepthBlock &block) const {
  Value isLater = t.isLess(t.index(0), block.first);
  if (!storing.adds) {
    return isLater;
  }
  return storing.kept ? t.select(isLater, isLater, storing.kept)
                      : t.constantTrue();
}
