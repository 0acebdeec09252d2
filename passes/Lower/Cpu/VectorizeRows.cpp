// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-dimensional linalg.generics over buffers become loops of wide vectors
// with one masked tail. The order of every reduction is fixed here, not by a
// target's cost model.
//
//   linalg.generic over n elements  -->  scf.for %j = 0 to n / 64 * 64 step 64:
//   vector.load, arith on vectors, vector.store
//                                        the rest: masked loads and stores
//                                        the lanes of an accumulator, combined
//                                        by halves
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Cpu/Combination.h"
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Cpu/RowBody.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace accel {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "passes/Lower/Cpu/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Least number of lanes: below it a vector register is not full.
constexpr int64_t kFewestLanes = 16;
/// Where 8-bit codes become numbers or numbers codes: that takes long chains of
/// operations, whose values are to stay in registers.
constexpr int64_t kLanesOfCodes = 16;

/// The least power of two of lanes for `count` elements, at most `lanes`.
int64_t lanesFor(int64_t count, int64_t lanes) {
  return std::min<int64_t>(
      lanes, std::max<int64_t>(kFewestLanes, llvm::PowerOf2Ceil(count)));
}

/// Rewrites one operation.
class RowVectorizer {
public:
  RowVectorizer(linalg::GenericOp op, int64_t lanes)
      : op(op), loc(op.getLoc()), builder(op), indices(builder, loc),
        lanes(lanes) {}

  LogicalResult run();

private:
  LogicalResult checkForm();
  LogicalResult findReductions();
  void chooseLanes();
  Value findSize();
  void emitSingle(RowBody &body);
  SmallVector<Value> emitLoop(RowBody &body, Value mainSize);
  SmallVector<Value> emitTail(RowBody &body, Value size, Value mainSize,
                              ValueRange accumulators);
  SmallVector<Value> emitTailIfAny(RowBody &body, Value size, Value mainSize,
                                   ValueRange accumulators);
  void storeAccumulators(ValueRange accumulators);

  linalg::GenericOp op;
  Location loc;
  OpBuilder builder;
  IndexArithmetic indices;
  int64_t lanes;
  int64_t divisor = 1; ///< of the trip count, a power of two
  SmallVector<RowReduction> reductions;
};

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

LogicalResult RowVectorizer::checkForm() {
  if (op.getNumLoops() != 1 || !op.hasPureBufferSemantics()) {
    return op.emitOpError("expected one loop over buffers");
  }
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isIdentity() && map.getNumResults() != 0) {
      return op.emitOpError(
                 "expected operands mapped by (j) -> (j) or (j) -> (), got ")
             << AffineMapAttr::get(map);
    }
  }
  if (auto known = op->getAttrOfType<IntegerAttr>(kDivisorAttr)) {
    divisor = known.getInt();
  }
  if (divisor < 1 || !llvm::isPowerOf2_64(divisor)) {
    return op.emitOpError("expected ")
           << kDivisorAttr << " to be a power of two, got " << divisor;
  }
  return success();
}

LogicalResult RowVectorizer::findReductions() {
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
    reductions.push_back({&out, *kind});
  }
  return success();
}

void RowVectorizer::chooseLanes() {
  auto body = op.getBody()->without_terminator();
  auto isInDouble = [](Operation &inner) {
    return llvm::any_of(inner.getResultTypes(),
                        [](Type type) { return type.isF64(); });
  };
  auto isCall = [](Operation &inner) { return isa<func::CallOp>(inner); };
  auto isCode = [](Operation &inner) {
    return isa<arith::TruncIOp, arith::ExtUIOp>(inner) &&
           (inner.getOperand(0).getType().isInteger(8) ||
            inner.getResult(0).getType().isInteger(8)) &&
           !inner.getOperand(0).getType().isInteger(1);
  };
  // Any order gives the same maximum.
  bool haveOrder = llvm::any_of(reductions, [](const RowReduction &reduction) {
    return reduction.kind != vector::CombiningKind::MAXIMUMF &&
           reduction.kind != vector::CombiningKind::MINIMUMF;
  });
  if (!haveOrder && llvm::any_of(body, isCode)) {
    lanes = std::min(lanes, kLanesOfCodes);
  }
  if (llvm::any_of(body, isCall) ||
      (reductions.empty() && llvm::any_of(body, isInDouble))) {
    lanes = kLanesOfDoubles;
  }
  if (reductions.empty() && divisor >= kFewestLanes) {
    lanes = std::min(lanes, divisor);
  }
}

/// The trip count is that of the first streamed operand.
Value RowVectorizer::findSize() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingIndexingMap(&operand).getNumResults() != 0) {
      return builder.createOrFold<memref::DimOp>(loc, operand.get(), 0);
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

SmallVector<Value> RowVectorizer::emitLoop(RowBody &body, Value mainSize) {
  SmallVector<Value> initial;
  for (const RowReduction &reduction : reductions) {
    auto type = VectorType::get(
        {lanes}, getElementTypeOrSelf(reduction.accumulator->get().getType()));
    TypedAttr neutral = getNeutral(reduction.kind, type.getElementType());
    initial.push_back(emitSplat(builder, loc, type, neutral));
  }
  if (getConstantIntValue(mainSize) == 0) {
    return initial;
  }
  Value first = indices.index(0);
  Value step = indices.index(lanes);
  auto loop = scf::ForOp::create(
      builder, loc, first, mainSize, step, initial,
      [&](OpBuilder &nested, Location, Value start, ValueRange accumulators) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        RowIteration full{lanes, start, Value(), Value()};
        scf::YieldOp::create(builder, loc, body.emit(full, accumulators));
      });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> RowVectorizer::emitTail(RowBody &body, Value size,
                                           Value mainSize,
                                           ValueRange accumulators) {
  Value rest = indices.sub(size, mainSize);
  std::optional<int64_t> known = getConstantIntValue(rest);
  // Accumulators have all lanes; without any, fewer suffice.
  int64_t tailLanes =
      known && reductions.empty() ? lanesFor(*known, lanes) : lanes;
  if (known == tailLanes) {
    return body.emit({tailLanes, mainSize, Value(), Value()}, accumulators);
  }
  auto type = VectorType::get({tailLanes}, builder.getI1Type());
  Value mask = vector::CreateMaskOp::create(builder, loc, type, rest);
  return body.emit({tailLanes, mainSize, rest, mask}, accumulators);
}

/// A tail of a length known at run time, which is mostly none.
SmallVector<Value> RowVectorizer::emitTailIfAny(RowBody &body, Value size,
                                                Value mainSize,
                                                ValueRange accumulators) {
  Value hasTail = indices.isBelow(mainSize, size);
  auto branch =
      scf::IfOp::create(builder, loc, accumulators.getTypes(), hasTail,
                        /*withElseRegion=*/!accumulators.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> next = emitTail(body, size, mainSize, accumulators);
  if (!accumulators.empty()) {
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, accumulators);
  }
  return SmallVector<Value>(branch.getResults());
}

void RowVectorizer::storeAccumulators(ValueRange accumulators) {
  for (auto [reduction, lanesOfSum] :
       llvm::zip_equal(reductions, accumulators)) {
    Value buffer = reduction.accumulator->get();
    Value before = memref::LoadOp::create(builder, loc, buffer, ValueRange());
    Value combined = combineLanes(builder, loc, reduction.kind, lanesOfSum);
    Value total = vector::makeArithReduction(builder, loc, reduction.kind,
                                             before, combined);
    memref::StoreOp::create(builder, loc, total, buffer, ValueRange());
  }
}

void RowVectorizer::emitSingle(RowBody &body) {
  SmallVector<Value> accumulators;
  for (const RowReduction &reduction : reductions) {
    accumulators.push_back(memref::LoadOp::create(
        builder, loc, reduction.accumulator->get(), ValueRange()));
  }
  accumulators =
      body.emit({0, indices.index(0), Value(), Value()}, accumulators);
  for (auto [reduction, total] : llvm::zip_equal(reductions, accumulators)) {
    memref::StoreOp::create(builder, loc, total, reduction.accumulator->get(),
                            ValueRange());
  }
}

LogicalResult RowVectorizer::run() {
  if (failed(checkForm()) || failed(findReductions())) {
    return failure();
  }
  chooseLanes();
  RowBody body(op, reductions, builder);
  Value size = findSize();
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known == 1) {
    emitSingle(body);
    op.erase();
    return success();
  }
  Value mainSize;
  if (known) {
    lanes = lanesFor(*known, lanes);
    mainSize = indices.index(*known / lanes * lanes);
  } else if (divisor % lanes == 0) {
    mainSize = size;
  } else {
    mainSize = indices.sub(size, indices.rem(size, lanes));
  }
  SmallVector<Value> accumulators = emitLoop(body, mainSize);
  if (!known && mainSize != size) {
    accumulators = emitTailIfAny(body, size, mainSize, accumulators);
  } else if (known && *known % lanes != 0) {
    accumulators = emitTail(body, size, mainSize, accumulators);
  }
  storeAccumulators(accumulators);
  op.erase();
  return success();
}

class VectorizeRowsPass
    : public accel::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
public:
  using VectorizeRowsPassBase::VectorizeRowsPassBase;

  void runOnOperation() override {
    if (lanes < kFewestLanes || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("expected a power of two of at least ")
          << kFewestLanes << " as lanes, got " << lanes;
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (failed(RowVectorizer(op, lanes).run())) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
