// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces the gradients of one bucket at a time, as soon as they are complete.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/LoopBuckets.h"
#include "passes/Schedule/Passes.h"

#include "mlir/IR/IRMapping.h"

#include <map>

namespace accel {
#define GEN_PASS_DEF_PLACEREDUCTIONSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Where the sum of a segment's gradients goes.
struct Target {
  StringAttr state;
  plan::ShardAttr shard;
  /// Of the part to what the rank holds; detached.
  OwningOpRef<plan::LaunchOp> add;
  Location loc;
};

/// Elements [first, second) of a segment, disjoint.
using Ranges = std::map<int64_t, int64_t>;

bool overlaps(const Ranges &ranges, int64_t begin, int64_t end) {
  auto after = ranges.lower_bound(begin);
  if (after != ranges.end() && after->first < end) {
    return true;
  }
  return after != ranges.begin() && std::prev(after)->second > begin;
}

class ReductionPlacer {
public:
  ReductionPlacer(ModuleOp module, func::FuncOp step, plan::RepeatOp loop)
      : module(module), loop(loop), buckets(step, loop) {}

  LogicalResult place() {
    takeReductions();
    if (targets.empty()) {
      return success();
    }
    if (failed(buckets.assign("gradients", "device", /*extraElements=*/0))) {
      return failure();
    }
    ArrayRef<SlotSession> sessions = buckets.getSessions();
    std::vector<bool> isFollowed(sessions.size(), false);
    for (const SlotSession &slot : sessions) {
      // What the slot held is added to what the rank holds as late as
      // possible: the sum over ranks has had time to arrive.
      OpBuilder builder(buckets.getInstruction(slot.session.first));
      if (slot.session.before >= 0) {
        isFollowed[slot.session.before] = true;
        insertAdditions(sessions[slot.session.before], builder);
      }
      insertFills(slot, builder);
      builder.setInsertionPointAfter(buckets.getInstruction(slot.session.last));
      insertReductions(slot, builder);
    }
    OpBuilder end = OpBuilder::atBlockEnd(&loop.getBody().front());
    for (auto [slot, followed] : llvm::zip_equal(sessions, isFollowed)) {
      if (!followed) {
        insertAdditions(slot, end);
      }
    }
    eraseReplaced();
    return success();
  }

private:
  /// Removes what AssignBuffers put around the loop's body: fills, sums and
  /// additions of whole gradients.
  void takeReductions() {
    for (auto reduce :
         llvm::make_early_inc_range(loop.getOps<plan::ReduceScatterOp>())) {
      plan::BufferOp whole = plan::getBufferRange(reduce.getWhole()).buffer;
      if (whole.getRegion() != plan::Region::Transient) {
        continue;
      }
      plan::LaunchOp add;
      for (Operation *user :
           llvm::make_early_inc_range(reduce.getPart().getUsers())) {
        add = add ? add : dyn_cast<plan::LaunchOp>(user);
      }
      auto held = module.lookupSymbol<StateOp>(reduce.getState());
      buckets.addSegment(whole, *held.getBucket());
      add->remove();
      targets.try_emplace(whole.getResult(),
                          Target{reduce.getStateAttr(), reduce.getShard(), add,
                                 reduce.getLoc()});
      parts.push_back(reduce.getPart());
      reduce.erase();
    }
    for (auto fill : llvm::make_early_inc_range(loop.getOps<plan::FillOp>())) {
      if (targets.count(fill.getBuffer())) {
        fill.erase();
      }
    }
  }

  /// Zeros where microbatches add. A product that is the first to write its
  /// range writes it instead of adding to it.
  void insertFills(const SlotSession &slot, OpBuilder &builder) {
    for (auto &[whole, view] : slot.views) {
      Ranges written, touched;
      for (unsigned i = slot.session.first; i <= slot.session.last; ++i) {
        Operation *op = buckets.getInstruction(i);
        for (Value operand : op->getOperands()) {
          if (isInside(operand, view)) {
            visitUse(op, operand, view, written, touched);
          }
        }
      }
      insertFillsBetween(written, view, builder);
    }
  }

  static bool isInside(Value operand, Value view) {
    while (operand != view) {
      auto inner = operand.getDefiningOp<plan::ViewOp>();
      if (!inner) {
        return false;
      }
      operand = inner.getSource();
    }
    return true;
  }

  static void visitUse(Operation *op, Value operand, Value view,
                       Ranges &written, Ranges &touched) {
    auto type = cast<MemRefType>(operand.getType());
    int64_t begin = (plan::getBufferRange(operand).begin -
                     plan::getBufferRange(view).begin) /
                    plan::getElementBytes(type);
    int64_t end = begin + type.getNumElements();
    auto gemm = dyn_cast<plan::GemmOp>(op);
    if (gemm && gemm.getC() == operand && gemm.getAccumulate() &&
        !overlaps(touched, begin, end)) {
      gemm.setAccumulate(false);
      written[begin] = end;
    }
    int64_t &touchedEnd = touched[begin];
    touchedEnd = std::max(touchedEnd, end);
  }

  static void insertFillsBetween(const Ranges &written, Value view,
                                 OpBuilder &builder) {
    auto type = cast<MemRefType>(view.getType());
    int64_t begin = 0;
    auto fill = [&](int64_t end) {
      if (begin == end) {
        return;
      }
      auto part = MemRefType::get({end - begin}, type.getElementType());
      Value range = part == type ? view
                                 : plan::ViewOp::create(builder, view.getLoc(),
                                                        part, view, begin)
                                       .getResult();
      plan::FillOp::create(builder, view.getLoc(), range);
    };
    for (auto [first, last] : written) {
      fill(first);
      begin = last;
    }
    fill(type.getNumElements());
  }

  void insertReductions(const SlotSession &slot, OpBuilder &builder) {
    OpBuilder top(loop);
    for (auto &[whole, view] : slot.views) {
      const Target &target = targets.find(whole)->second;
      Value part = plan::PartOp::create(top, target.loc, view, target.shard);
      plan::ReduceScatterOp::create(builder, target.loc, target.state, view,
                                    part, target.shard);
      reduced[view] = part;
    }
  }

  void insertAdditions(const SlotSession &slot, OpBuilder &builder) {
    for (auto &[whole, view] : slot.views) {
      plan::LaunchOp add = *targets.find(whole)->second.add;
      IRMapping map;
      map.map(add.getBuffers().front(), reduced.lookup(view));
      builder.clone(*add, map);
    }
  }

  void eraseReplaced() {
    for (auto &[whole, target] : targets) {
      target.add = nullptr;
    }
    for (Value part : parts) {
      part.getDefiningOp()->erase();
    }
    for (auto &[whole, target] : targets) {
      for (Operation *view : llvm::make_early_inc_range(whole.getUsers())) {
        view->erase();
      }
      whole.getDefiningOp()->erase();
    }
  }

  ModuleOp module;
  plan::RepeatOp loop;
  LoopBuckets buckets;
  llvm::MapVector<Value, Target> targets;
  SmallVector<Value> parts; ///< of the replaced sums
  llvm::DenseMap<Value, Value> reduced;
};

class PlaceReductionsPass
    : public accel::impl::PlaceReductionsPassBase<PlaceReductionsPass> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step) {
      return;
    }
    for (auto loop : step.getOps<plan::RepeatOp>()) {
      if (failed(ReductionPlacer(getOperation(), step, loop).place())) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
