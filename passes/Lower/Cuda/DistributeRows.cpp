// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-dimensional linalg.generics over buffers become loops of which each
// thread of a warp executes its part. The order of every reduction is that of
// VectorizeRows with as many lanes, so CPUs and GPUs compute the same bits.
//
//   linalg.generic over n elements  -->  scf.for %j = 0 to n / 128 * 128 step
//   128: thread t takes elements %j + 4 t to %j + 4 t + 3 in one access
//                                        the rest: what is there
//                                        the sums of all threads, combined by
//                                        halves
//
// Where accesses of four elements are not proven to be aligned, thread t takes
// elements %j + t, + 32, + 64 and + 96, each by itself: neighbouring threads
// have neighbouring elements.
#include "passes/Lower/Cuda/Passes.h"
#include "passes/Lower/Cuda/WarpBody.h"
#include "passes/Lower/Cuda/WarpOps.h"
#include "passes/Lower/Cuda/WarpTotal.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/IndexDivisor.h"
#include "passes/Lower/Loops/RowReductions.h"
#include "passes/Lower/Loops/SweepOp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <memory>
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
  RowDistributor(linalg::GenericOp op, RowReductions found,
                 PrivateBuffers &buffers, int64_t lanes)
      : op(op), loc(op.getLoc()), builder(op), indices(builder, loc),
        warp(builder, loc), reductions(std::move(found)),
        parts(lanes / kWarpThreads),
        body(op, reductions.get(), buffers, builder) {}

  /// Whether it has a whole chunk, as far as is known. In shorter rows more
  /// threads have something to do if they do not take neighbours.
  bool isLong();
  /// Whether all that it accesses lets threads take neighbours.
  bool isAligned();
  /// Whether it uses elements that other loops of the function have left in
  /// registers, and so must take the same ones.
  bool sharesRegisters() { return body.usesDivided(); }
  /// Strided, or neighbours.
  void emit(WarpOrder order);

private:
  using Values = SmallVector<Value>;

  Value findSize();
  Values emitNeutral();
  Values emitLoop(Value mainSize, ValueRange sums);
  Values emitTail(Value size, Value mainSize, ValueRange sums);
  Values emitIfThere(ArrayRef<WarpPart> some, Value size, ValueRange sums);
  Values emitParts(ArrayRef<WarpPart> some, ValueRange sums);
  void emitTotals(ValueRange sums);
  void emitSingle();

  int64_t chunk() const { return parts * kWarpThreads; }
  SmallVector<WarpPart> partsFrom(Value start) const {
    return llvm::map_to_vector(llvm::seq(parts), [&](int64_t number) {
      return WarpPart{start, number, order};
    });
  }
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
  RowReductions reductions;
  int64_t parts; ///< elements of a chunk that a thread takes
  WarpBody body;
  WarpOrder order = WarpOrder::Strided;
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

bool RowDistributor::isLong() {
  std::optional<int64_t> known = getConstantIntValue(findSize());
  return !known || *known >= chunk();
}

bool RowDistributor::isAligned() {
  // Only of a known size it is clear which registers a thread needs.
  bool isKnown = getConstantIntValue(findSize()).has_value();
  return parts == kThreadElements && body.isAligned() &&
         (isKnown || !sharesRegisters());
}

/// All are loaded before any is stored, so that a load need not wait for a
/// store that it might read.
RowDistributor::Values RowDistributor::emitParts(ArrayRef<WarpPart> some,
                                                 ValueRange sums) {
  SmallVector<WarpBody::Loaded> loaded = body.loadAll(some);
  SmallVector<WarpBody::Computed> computed;
  Values after;
  for (auto [i, part] : llvm::enumerate(some)) {
    computed.push_back(body.compute(part, loaded[i], sumsOf(sums, i)));
    llvm::append_range(after, computed.back().sums);
  }
  body.storeAll(some, computed);
  return after;
}

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
        scf::YieldOp::create(builder, loc, emitParts(partsFrom(start), before));
      });
  return Values(loop.getResults());
}

/// Elements of which the row has all or none: whether it has the first says it.
RowDistributor::Values RowDistributor::emitIfThere(ArrayRef<WarpPart> some,
                                                   Value size,
                                                   ValueRange sums) {
  Value isThere = indices.isBelow(body.place(some.front()), size);
  auto branch = scf::IfOp::create(builder, loc, sums.getTypes(), isThere,
                                  /*withElseRegion=*/!sums.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Values after = emitParts(some, sums);
  if (!sums.empty()) {
    scf::YieldOp::create(builder, loc, after);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
  }
  return Values(branch.getResults());
}

RowDistributor::Values RowDistributor::emitTail(Value size, Value mainSize,
                                                ValueRange sums) {
  SmallVector<WarpPart> all = partsFrom(mainSize);
  bool isStrided = order == WarpOrder::Strided;
  if (!isStrided && getKnownDivisor(size) % parts == 0) {
    return emitIfThere(all, size, sums);
  }
  Values after;
  Value rest = indices.sub(size, mainSize);
  std::optional<int64_t> known = getConstantIntValue(rest);
  for (const WarpPart &part : all) {
    // The first element of the part, which the first thread has.
    int64_t first = part.number * (isStrided ? kWarpThreads : 1);
    Values next(sumsOf(sums, part.number));
    llvm::append_range(
        after, known && *known <= first ? next : emitIfThere(part, size, next));
  }
  return after;
}

void RowDistributor::emitTotals(ValueRange sums) {
  Values before = reductions.emitLoads(builder);
  Values totals;
  for (auto [i, reduction] : llvm::enumerate(reductions.get())) {
    WarpTotal::Values halves;
    for (int64_t part = 0; part < parts; ++part) {
      halves.push_back(sumsOf(sums, part)[i]);
    }
    Value total = WarpTotal(builder, loc, reduction.kind).emit(halves, order);
    totals.push_back(vector::makeArithReduction(builder, loc, reduction.kind,
                                                before[i], total));
  }
  reductions.emitStores(builder, totals);
}

/// Every thread computes a row's only element and keeps it; the first one
/// stores what others may see.
void RowDistributor::emitSingle() {
  WarpPart part{indices.index(0), 0, WarpOrder::Single};
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

void RowDistributor::emit(WarpOrder chosen) {
  order = chosen;
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

/// Which elements threads take in each of a function's loops. Long ones that
/// share registers agree; short ones share theirs with others of their length.
SmallVector<WarpOrder>
chooseOrders(std::vector<std::unique_ptr<RowDistributor>> &loops) {
  bool maySharersTakeNeighbours = llvm::all_of(loops, [](auto &loop) {
    return !loop->sharesRegisters() || !loop->isLong() || loop->isAligned();
  });
  return llvm::map_to_vector(loops, [&](auto &loop) {
    bool mayShare = !loop->sharesRegisters() || maySharersTakeNeighbours;
    return mayShare && loop->isLong() && loop->isAligned()
               ? WarpOrder::Neighbours
               : WarpOrder::Strided;
  });
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
    if (failed(distribute(ops, buffers)) || failed(buffers.eraseDivided())) {
      signalPassFailure();
    }
  }

private:
  LogicalResult distribute(ArrayRef<linalg::GenericOp> ops,
                           PrivateBuffers &buffers) {
    std::vector<std::unique_ptr<RowDistributor>> loops;
    for (linalg::GenericOp op : ops) {
      FailureOr<RowReductions> reductions = RowReductions::find(op);
      if (failed(checkSweep(op)) || failed(reductions)) {
        return failure();
      }
      loops.push_back(
          std::make_unique<RowDistributor>(op, *reductions, buffers, lanes));
    }
    SmallVector<WarpOrder> orders = chooseOrders(loops);
    for (auto [op, loop, order] : llvm::zip_equal(ops, loops, orders)) {
      loop->emit(order);
      linalg::GenericOp(op).erase();
    }
    return success();
  }
};

} // namespace
