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
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Cpu/RowBody.h"
#include "passes/Lower/Cpu/RowLanes.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/SweepOp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace accel {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "passes/Lower/Cpu/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Rewrites one operation.
class RowVectorizer {
public:
  RowVectorizer(linalg::GenericOp op, const RowReductions &reductions,
                int64_t divisor, int64_t lanes)
      : op(op), loc(op.getLoc()), builder(op), indices(builder, loc),
        reductions(reductions), divisor(divisor), lanes(lanes),
        body(op, reductions.get(), builder) {}

  void emit();

private:
  Value findSize();
  void emitSingle();
  Value findMainSize(Value size, std::optional<int64_t> known);
  SmallVector<Value> emitLoop(Value mainSize);
  SmallVector<Value> emitTail(Value size, Value mainSize,
                              ValueRange accumulators);
  SmallVector<Value> emitTailIfAny(Value size, Value mainSize,
                                   ValueRange accumulators);

  linalg::GenericOp op;
  Location loc;
  OpBuilder builder;
  IndexArithmetic indices;
  const RowReductions &reductions;
  int64_t divisor; ///< of the trip count, a power of two
  int64_t lanes;
  RowBody body;
};

/// The trip count is that of the first streamed operand.
Value RowVectorizer::findSize() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingIndexingMap(&operand).getNumResults() != 0) {
      return builder.createOrFold<memref::DimOp>(loc, operand.get(), 0);
    }
  }
  return {};
}

SmallVector<Value> RowVectorizer::emitLoop(Value mainSize) {
  SmallVector<Value> initial = reductions.emitNeutral(builder, lanes);
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

SmallVector<Value> RowVectorizer::emitTail(Value size, Value mainSize,
                                           ValueRange accumulators) {
  Value rest = indices.sub(size, mainSize);
  std::optional<int64_t> known = getConstantIntValue(rest);
  // Accumulators have all lanes; without any, fewer suffice.
  int64_t tailLanes =
      known && reductions.isEmpty() ? lanesFor(*known, lanes) : lanes;
  if (known == tailLanes) {
    return body.emit({tailLanes, mainSize, Value(), Value()}, accumulators);
  }
  auto type = VectorType::get({tailLanes}, builder.getI1Type());
  Value mask = vector::CreateMaskOp::create(builder, loc, type, rest);
  return body.emit({tailLanes, mainSize, rest, mask}, accumulators);
}

/// A tail of a length known at run time, which is mostly none.
SmallVector<Value> RowVectorizer::emitTailIfAny(Value size, Value mainSize,
                                                ValueRange accumulators) {
  Value hasTail = indices.isBelow(mainSize, size);
  auto branch =
      scf::IfOp::create(builder, loc, accumulators.getTypes(), hasTail,
                        /*withElseRegion=*/!accumulators.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> next = emitTail(size, mainSize, accumulators);
  if (!accumulators.empty()) {
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, accumulators);
  }
  return SmallVector<Value>(branch.getResults());
}

void RowVectorizer::emitSingle() {
  SmallVector<Value> before = reductions.emitLoads(builder);
  reductions.emitStores(
      builder, body.emit({0, indices.index(0), Value(), Value()}, before));
}

/// What whole vectors cover.
Value RowVectorizer::findMainSize(Value size, std::optional<int64_t> known) {
  if (known) {
    return indices.index(*known / lanes * lanes);
  }
  if (divisor % lanes == 0) {
    return size;
  }
  return indices.sub(size, indices.rem(size, lanes));
}

void RowVectorizer::emit() {
  Value size = findSize();
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known == 1) {
    return emitSingle();
  }
  if (known) {
    lanes = lanesFor(*known, lanes);
  }
  Value mainSize = findMainSize(size, known);
  SmallVector<Value> accumulators = emitLoop(mainSize);
  if (!known && mainSize != size) {
    accumulators = emitTailIfAny(size, mainSize, accumulators);
  } else if (known && *known % lanes != 0) {
    accumulators = emitTail(size, mainSize, accumulators);
  }
  reductions.emitCombined(builder, accumulators);
}

LogicalResult vectorize(linalg::GenericOp op, int64_t lanes) {
  if (failed(checkSweep(op))) {
    return failure();
  }
  FailureOr<int64_t> divisor = getDivisor(op);
  if (failed(divisor)) {
    return failure();
  }
  FailureOr<RowReductions> reductions = RowReductions::find(op);
  if (failed(reductions)) {
    return failure();
  }
  lanes = chooseLanes(op, *reductions, *divisor, lanes);
  RowVectorizer(op, *reductions, *divisor, lanes).emit();
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
          << kFewestLanes << " as lanes, got " << int64_t(lanes);
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (failed(vectorize(op, lanes))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
