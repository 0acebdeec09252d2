// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice among the results of a kernel.
#include "passes/Lower/Cpu/ProductSums.h"

using namespace mlir;
using namespace accel;

std::optional<ProductSums> ProductSums::find(KernelEmitter &emitter,
                                             MatmulOp op) {
  std::optional<unsigned> chosen;
  bool hasOthers = false;
  for (auto [i, value] : llvm::enumerate(emitter.getResults())) {
    bool isProduct = value == op.getResult();
    hasOthers |= !isProduct;
    if (getNumElements(value) != emitter.getDomain().elements) {
      emitter.emitError(op)
          << "expected results of " << emitter.getDomain().elements
          << " elements, got " << value.getType();
      return std::nullopt;
    }
    bool canHold = elementTypeOf(value).isF32() &&
                   (isProduct || !isAccumulated(emitter.getKernel(), i));
    if (canHold && (isProduct || !chosen)) {
      chosen = i;
    }
  }
  if (!chosen) {
    emitter.emitError(op) << "expected a result of " << op.getType()
                          << " to keep the sums in, got none";
    return std::nullopt;
  }
  Storing storing = emitter.getStoring(*chosen);
  if (storing.adds && hasOthers) {
    emitter.emitError(op) << "expected no other result beside a product that "
                             "is added to what is there";
    return std::nullopt;
  }
  IndexArithmetic t(emitter.getBuilder(), emitter.getLoc());
  ProductMatrix matrix{emitter.getResultBuffer(*chosen), t.index(0),
                       t.index(shapeOf(op.getResult()).back())};
  return ProductSums(matrix, storing);
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
