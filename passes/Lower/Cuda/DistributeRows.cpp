// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-dimensional linalg.generics over buffers become loops of which each
// thread of a warp executes its part. The order of every reduction is that of
// VectorizeRows with as many lanes, so CPUs and GPUs compute the same bits.
//
//   linalg.generic over n elements  -->  scf.for %j = 0 to n / 128 * 128 step
//   128: thread t takes elements %j + t, + 32, + 64 and + 96
//                                        the rest: each element if it is there
//                                        the sums of a thread, then those of
//                                        the warp, combined by halves
#include "passes/Lower/Cuda/Passes.h"
#include "passes/Lower/Cuda/WarpBody.h"
#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/RowReductions.h"
#include "passes/Lower/Loops/SweepOp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace accel {
#define GEN_PASS_DEF_DISTRIBUTEROWSPASS
#include "passes/Lower/Cuda/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Rewrites one operation.
class RowDistributor {
public:
  RowDistributor(linalg::GenericOp op, const RowReductions &reductions,
                 PrivateBuffers &buffers, int64_t lanes)
      : op(op), loc(op.getLoc()), builder(op), indices(builder, loc),
        warp(builder, loc), reductions(reductions), parts(lanes / kWarpThreads),
        body(op, reductions.get(), buffers, builder) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  Value findSize();
  Values emitNeutral();
  Values emitLoop(Value mainSize, ValueRange sums);
  Values emitTail(Value size, Value mainSize, ValueRange sums);
  Values emitPartIfThere(const WarpPart &part, Value size, ValueRange sums);
  void emitTotals(ValueRange sums);
  void emitSingle();

  int64_t chunk() const { return parts * kWarpThreads; }
  /// The sums of a part: one for each reduction.
  ValueRange sumsOf(ValueRange sums, int64_t part) const {
    size_t count = reductions.get().size();
    return sums.slice(part * count, count);
  }

  linalg::GenericOp op;
  Location loc;
  OpBuilder builder;
  IndexArithmetic indices;
  WarpOps warp;
  const RowReductions &reductions;
  int64_t parts; ///< elements of a chunk that a thread takes
  WarpBody body;
};

/// The trip count is that of the first streamed operand.
Value RowDistributor::findSize() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingIndexingMap(&operand).getNumResults() != 0) {
      return builder.createOrFold<memref::DimOp>(loc, operand.get(), 0);
    }
  }
  return {};
}

/// Sums of each part that have taken in nothing.
RowDistributor::Values RowDistributor::emitNeutral() {
  Values neutral;
  for (int64_t part = 0; part < parts; ++part) {
    llvm::append_range(neutral, reductions.emitNeutral(builder, /*lanes=*/0));
  }
  return neutral;
}

/// All elements of a chunk are loaded before any is stored, so that a load need
/// not wait for a store that it might read.
RowDistributor::Values RowDistributor::emitLoop(Value mainSize,
                                                ValueRange sums) {
  if (getConstantIntValue(mainSize) == 0) {
    return Values(sums);
  }
  auto loop = scf::ForOp::create(
      builder, loc, indices.index(0), mainSize, indices.index(chunk()), sums,
      [&](OpBuilder &nested, Location, Value start, ValueRange before) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        SmallVector<WarpPart> all;
        for (int64_t part = 0; part < parts; ++part) {
          all.push_back({start, part});
        }
        Values after;
        SmallVector<WarpBody::Loaded> loaded = llvm::map_to_vector(
            all, [&](auto &part) { return body.load(part); });
        SmallVector<WarpBody::Computed> computed;
        for (auto [part, values] : llvm::zip_equal(all, loaded)) {
          computed.push_back(
              body.compute(part, values, sumsOf(before, part.number)));
          llvm::append_range(after, computed.back().sums);
        }
        for (auto [part, values] : llvm::zip_equal(all, computed)) {
          body.store(part, values);
        }
        scf::YieldOp::create(builder, loc, after);
      });
  return Values(loop.getResults());
}

/// The element of a part, where the row has one.
RowDistributor::Values RowDistributor::emitPartIfThere(const WarpPart &part,
                                                       Value size,
                                                       ValueRange sums) {
  Value isThere = indices.isBelow(body.place(part), size);
  auto branch = scf::IfOp::create(builder, loc, sums.getTypes(), isThere,
                                  /*withElseRegion=*/!sums.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  WarpBody::Computed computed = body.compute(part, body.load(part), sums);
  body.store(part, computed);
  if (!sums.empty()) {
    scf::YieldOp::create(builder, loc, computed.sums);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
  }
  return Values(branch.getResults());
}

RowDistributor::Values RowDistributor::emitTail(Value size, Value mainSize,
                                                ValueRange sums) {
  Values after;
  Value rest = indices.sub(size, mainSize);
  std::optional<int64_t> known = getConstantIntValue(rest);
  for (int64_t part = 0; part < parts; ++part) {
    bool isEmpty = known && *known <= part * kWarpThreads;
    Values next(sumsOf(sums, part));
    if (!isEmpty) {
      next = emitPartIfThere({mainSize, part}, size, next);
    }
    llvm::append_range(after, next);
  }
  return after;
}

/// The upper half of a thread's sums onto the lower, and so on; then the same
/// with the threads of the warp, after which each of them has the total.
void RowDistributor::emitTotals(ValueRange sums) {
  Values before = reductions.emitLoads(builder);
  Values totals;
  for (auto [i, reduction] : llvm::enumerate(reductions.get())) {
    Values halves;
    for (int64_t part = 0; part < parts; ++part) {
      halves.push_back(sumsOf(sums, part)[i]);
    }
    while (halves.size() > 1) {
      size_t half = halves.size() / 2;
      for (size_t part = 0; part < half; ++part) {
        halves[part] = vector::makeArithReduction(
            builder, loc, reduction.kind, halves[part], halves[part + half]);
      }
      halves.resize(half);
    }
    Value total = halves.front();
    for (int64_t distance = kWarpThreads / 2; distance > 0; distance /= 2) {
      total = vector::makeArithReduction(builder, loc, reduction.kind, total,
                                         warp.exchange(total, distance));
    }
    totals.push_back(vector::makeArithReduction(builder, loc, reduction.kind,
                                                before[i], total));
  }
  reductions.emitStores(builder, totals);
}

/// Every thread computes a row's only element and keeps it; the first one
/// stores what others may see.
void RowDistributor::emitSingle() {
  WarpPart part{indices.index(0), 0, /*isSingle=*/true};
  Values before = reductions.emitLoads(builder);
  WarpBody::Computed computed = body.compute(part, body.load(part), before);
  body.storePrivate(part, computed);
  if (body.storesAny()) {
    warp.synchronize();
    auto first =
        scf::IfOp::create(builder, loc, warp.isFirst(), /*withElse=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(first.thenBlock());
    body.storeShared(part, computed);
  }
  reductions.emitStores(builder, computed.sums);
}

void RowDistributor::emit() {
  Value size = findSize();
  std::optional<int64_t> known = getConstantIntValue(size);
  // What another thread reads or has stored: neither may overtake the other.
  bool isShared = body.storesAny();
  if (known == 1) {
    emitSingle();
  } else {
    if (isShared) {
      warp.synchronize();
    }
    Value mainSize =
        known ? indices.index(*known / chunk() * chunk())
              : indices.sub(size, indices.rem(size, indices.index(chunk())));
    auto divisor = op->getAttrOfType<IntegerAttr>(kDivisorAttr);
    bool isWhole = (divisor && divisor.getInt() % chunk() == 0) ||
                   (known && *known % chunk() == 0);
    Values sums = emitLoop(isWhole ? size : mainSize, emitNeutral());
    if (!isWhole) {
      sums = emitTail(size, mainSize, sums);
    }
    emitTotals(sums);
  }
  if (isShared) {
    warp.synchronize();
  }
}

/// What all threads store is stored by the first one, when all have loaded what
/// they need of it.
void guardStore(memref::StoreOp store) {
  OpBuilder builder(store);
  WarpOps warp(builder, store.getLoc());
  warp.synchronize();
  auto first = scf::IfOp::create(builder, store.getLoc(), warp.isFirst(),
                                 /*withElse=*/false);
  warp.synchronize();
  store->moveBefore(first.thenBlock()->getTerminator());
}

class DistributeRowsPass
    : public accel::impl::DistributeRowsPassBase<DistributeRowsPass> {
public:
  using DistributeRowsPassBase::DistributeRowsPassBase;

  void runOnOperation() override {
    if (lanes < kWarpThreads || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("expected a power of two of at least ")
          << kWarpThreads << " as lanes, got " << int64_t(lanes);
      return signalPassFailure();
    }
    SmallVector<memref::StoreOp> stores;
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](Operation *each) {
      if (auto store = dyn_cast<memref::StoreOp>(each);
          store && !PrivateBuffers::isPrivate(store.getMemRef())) {
        stores.push_back(store);
      } else if (auto op = dyn_cast<linalg::GenericOp>(each)) {
        ops.push_back(op);
      }
    });
    llvm::for_each(stores, guardStore);
    PrivateBuffers buffers;
    for (linalg::GenericOp op : ops) {
      FailureOr<RowReductions> reductions = RowReductions::find(op);
      if (failed(checkSweep(op)) || failed(reductions)) {
        return signalPassFailure();
      }
      RowDistributor(op, *reductions, buffers, lanes).emit();
      op.erase();
    }
    if (failed(buffers.eraseDivided())) {
      signalPassFailure();
    }
  }
};

} // namespace
