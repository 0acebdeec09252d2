// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces the gradients of one bucket at a time, as soon as they are complete.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Analysis/GradientAccumulation.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Schedule/FirstWrites.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/SegmentBuffers.h"

#include "llvm/ADT/DenseSet.h"

namespace accel {
#define GEN_PASS_DEF_PLACEREDUCTIONSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Where the sum of a segment's gradients goes.
struct Destination {
  StateOp state;
  plan::ShardAttr shard;
  Value held;               ///< what the rank adds its part to
  FlatSymbolRefAttr kernel; ///< which does that
  Location loc;
};

class ReductionPlacer {
public:
  ReductionPlacer(ModuleOp module, func::FuncOp step, plan::RepeatOp loop)
      : module(module), symbols(module), loop(loop), buckets(step, loop),
        buffers(step), writes(buckets, symbols) {}

  LogicalResult place() {
    if (failed(takeReductions())) {
      return failure();
    }
    if (destinations.empty()) {
      return success();
    }
    if (failed(buckets.assign(plan::MemoryClass::Gradients, plan::Space::Device,
                              /*extraElements=*/0))) {
      return failure();
    }
    ArrayRef<BufferLiveRange> liveRanges = buckets.getLiveRanges();
    std::vector<bool> isFollowed(liveRanges.size(), false);
    for (const BufferLiveRange &range : liveRanges) {
      // What the buffer held is added to what the rank holds as late as
      // possible: the sum over ranks has had time to arrive.
      OpBuilder builder(buckets.getInstruction(range.liveRange.first));
      if (range.liveRange.before >= 0) {
        isFollowed[range.liveRange.before] = true;
        insertAdditions(liveRanges[range.liveRange.before], builder);
      }
      writes.addLiveRange(range, builder);
      builder.setInsertionPointAfter(
          buckets.getInstruction(range.liveRange.last));
      insertReductions(range, builder);
    }
    OpBuilder end = atEnd();
    for (auto [range, followed] : llvm::zip_equal(liveRanges, isFollowed)) {
      if (!followed) {
        insertAdditions(range, end);
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

  /// Takes what the collectives of the loop say out of it.
  LogicalResult takeReductions() {
    for (auto reduce :
         llvm::make_early_inc_range(loop.getOps<dist::ReduceScatterOp>())) {
      for (auto name : reduce.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
        if (failed(addSegment(reduce, name.getAttr()))) {
          return failure();
        }
      }
      reduce.erase();
    }
    return success();
  }

  LogicalResult addSegment(dist::ReduceScatterOp reduce, StringAttr name) {
    FailureOr<SegmentBuffer> segment = buffers.find(reduce, name);
    if (failed(segment)) {
      return failure();
    }
    plan::ShardAttr shard = segment->held.getShardAttr();
    auto type = cast<MemRefType>(segment->whole.getType());
    auto sum = RankedTensorType::get(type.getShape(), type.getElementType());
    func::FuncOp kernel = findAddingKernel(module, sum);
    auto flag = StringAttr::get(module.getContext(), kAccumulatingState);
    accumulating = buffers.findPersistent(flag);
    if (!accumulating || !kernel) {
      return reduce.emitOpError("expected a buffer of '")
             << kAccumulatingState << "' and a kernel with `"
             << kAddsReducedAttr << "` for " << sum << ", got "
             << (accumulating ? "no such kernel" : "no such buffer");
    }
    buckets.addSegment(segment->whole,
                       segment->state.getSegment()->getBucket().getValue());
    destinations.insert(
        {segment->whole,
         Destination{segment->state, shard, segment->held,
                     FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                     reduce.getLoc()}});
    return success();
  }

  void insertReductions(const BufferLiveRange &range, OpBuilder &builder) {
    OpBuilder top(loop);
    for (auto &[whole, view] : range.views) {
      Destination &to = destinations.find(whole)->second;
      Value part = plan::PartOp::create(top, to.loc, view, to.shard);
      auto reduce = plan::ReduceScatterOp::create(
          builder, to.loc, to.state.getSymNameAttr(), view, part, to.shard,
          to.state.getSegmentAttr());
      reduce.setLayer(getStateLayer(to.state));
      reduced[view] = part;
    }
  }

  void insertAdditions(const BufferLiveRange &range, OpBuilder &builder) {
    auto mode = [&](plan::Access access) -> Attribute {
      return builder.getI32IntegerAttr(static_cast<int32_t>(access));
    };
    ArrayAttr modes = builder.getArrayAttr({mode(plan::Access::Read),
                                            mode(plan::Access::Read),
                                            mode(plan::Access::ReadWrite)});
    for (auto &[whole, view] : range.views) {
      Destination &to = destinations.find(whole)->second;
      auto add = plan::LaunchOp::create(
          builder, to.loc, to.kernel,
          ValueRange{reduced.lookup(view), accumulating, to.held},
          /*workspace=*/Value(), modes, to.shard);
      add.setLayer(getStateLayer(to.state));
      if (!begun.insert(whole).second) {
        writes.addAddition(add);
      }
    }
  }

  void eraseReplaced() {
    for (auto &[whole, to] : destinations) {
      SegmentBuffers::erase(whole);
    }
  }

  ModuleOp module;
  SymbolTable symbols;
  plan::RepeatOp loop;
  LoopBuckets buckets;
  SegmentBuffers buffers;
  FirstWrites writes;
  plan::BufferOp accumulating; ///< false in the first microbatch
  llvm::DenseSet<Value> begun; ///< whose first sums have been added
  llvm::MapVector<Value, Destination> destinations;
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
