// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces the gradients of one bucket at a time, as soon as they are complete.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Schedule/FirstWrites.h"
#include "passes/Schedule/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

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

class ReductionPlacer {
public:
  ReductionPlacer(ModuleOp module, func::FuncOp step, plan::RepeatOp loop)
      : module(module), symbols(module), loop(loop), buckets(step, loop),
        writes(buckets, symbols) {}

  LogicalResult place() {
    takeReductions();
    if (targets.empty()) {
      return success();
    }
    if (failed(buckets.assign(plan::MemoryClass::Gradients, plan::Space::Device,
                              /*extraElements=*/0))) {
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
      writes.addSession(slot, builder);
      builder.setInsertionPointAfter(buckets.getInstruction(slot.session.last));
      insertReductions(slot, builder);
    }
    OpBuilder end = atEnd();
    for (auto [slot, followed] : llvm::zip_equal(sessions, isFollowed)) {
      if (!followed) {
        insertAdditions(slot, end);
      }
    }
    eraseReplaced();
    writes.finish(loop);
    return success();
  }

private:
  /// In front of what ends the first microbatch.
  OpBuilder atEnd() {
    for (auto fill : loop.getOps<plan::FillOp>()) {
      if (isAccumulatingFlag(fill.getBuffer())) {
        return OpBuilder(fill);
      }
    }
    return OpBuilder::atBlockEnd(&loop.getBody().front());
  }

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
      auto copy = cast<plan::LaunchOp>(builder.clone(*add, map));
      if (!begun.insert(whole).second) {
        writes.addAddition(copy);
      }
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
  SymbolTable symbols;
  plan::RepeatOp loop;
  LoopBuckets buckets;
  FirstWrites writes;
  llvm::DenseSet<Value> begun; ///< whose first sums have been added
  llvm::MapVector<Value, Target> targets;
  SmallVector<Value> parts; ///< of the replaced sums
  llvm::DenseMap<Value, Value> reduced;
};

class PlaceReductionsPass
    : public accel::impl::PlaceReductionsPassBase<PlaceReductionsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getRunning(getOperation())) {
      for (auto loop : function.getOps<plan::RepeatOp>()) {
        if (failed(ReductionPlacer(getOperation(), function, loop).place())) {
          return signalPassFailure();
        }
      }
    }
  }
};

} // namespace
