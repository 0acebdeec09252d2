// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators, from neutral elements to what is stored.
#include "passes/Lower/Loops/RowReductions.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Loops/Combination.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

using namespace mlir;
using namespace accel;

FailureOr<RowReductions> RowReductions::find(linalg::GenericOp op) {
  RowReductions found(op.getLoc());
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (op.getMatchingIndexingMap(&out).getNumResults() != 0) {
      continue;
    }
    unsigned number = out.getOperandNumber() - op.getNumDpsInputs();
    SmallVector<Operation *> combiners;
    bool isKnown =
        matchReduction(op.getRegionOutputArgs(), number, combiners) &&
        combiners.size() == 1;
    auto kind =
        isKnown ? linalg::getCombinerOpKind(combiners[0]) : std::nullopt;
    if (!kind) {
      return op.emitOpError("expected results mapped by (j) -> () to be sums, "
                            "products, maxima or minima");
    }
    found.reductions.push_back({&out, *kind});
  }
  return found;
}

bool RowReductions::haveOrder() const {
  return llvm::any_of(reductions, [](const RowReduction &reduction) {
    return reduction.kind != vector::CombiningKind::MAXIMUMF &&
           reduction.kind != vector::CombiningKind::MINIMUMF;
  });
}

RowReductions::Values RowReductions::emitNeutral(OpBuilder &builder,
                                                 int64_t lanes) const {
  Values neutral;
  for (const RowReduction &reduction : reductions) {
    Type type = getElementTypeOrSelf(reduction.accumulator->get().getType());
    TypedAttr element = getNeutral(reduction.kind, type);
    neutral.push_back(
        emitSplat(builder, loc,
                  lanes == 0 ? type : VectorType::get({lanes}, type), element));
  }
  return neutral;
}

RowReductions::Values RowReductions::emitLoads(OpBuilder &builder) const {
  return llvm::map_to_vector(
      reductions, [&](const RowReduction &reduction) -> Value {
        return memref::LoadOp::create(
            builder, loc, reduction.accumulator->get(), ValueRange());
      });
}

void RowReductions::emitStores(OpBuilder &builder, ValueRange totals) const {
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals)) {
    memref::StoreOp::create(builder, loc, total, reduction.accumulator->get(),
                            ValueRange());
  }
}

void RowReductions::emitCombined(OpBuilder &builder,
                                 ValueRange accumulators) const {
  for (auto [reduction, lanes] : llvm::zip_equal(reductions, accumulators)) {
    Value buffer = reduction.accumulator->get();
    Value before = memref::LoadOp::create(builder, loc, buffer, ValueRange());
    Value combined = combineLanes(builder, loc, reduction.kind, lanes);
    Value total = vector::makeArithReduction(builder, loc, reduction.kind,
                                             before, combined);
    memref::StoreOp::create(builder, loc, total, buffer, ValueRange());
  }
}
