// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers one bucket at a time, one ahead of its use.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Schedule/LoopBuckets.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/SegmentBuffers.h"
#include "passes/Target/Target.h"

namespace accel {
#define GEN_PASS_DEF_PLACEGATHERSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Where a segment comes from.
struct Source {
  StateOp state;
  Value part;
  plan::ShardAttr shard;
  Location loc;
};

class PlaceGathersPass
    : public accel::impl::PlaceGathersPassBase<PlaceGathersPass> {
public:
  using PlaceGathersPassBase::PlaceGathersPassBase;

  void runOnOperation() override {
    target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    getOperation()->setAttr("plan.max_ranks",
                            Builder(&getContext()).getI64IntegerAttr(maxRanks));
    for (func::FuncOp function : getRunning(getOperation())) {
      for (auto loop : function.getOps<plan::RepeatOp>()) {
        if (failed(place(function, loop))) {
          return signalPassFailure();
        }
      }
    }
  }

private:
  LogicalResult place(func::FuncOp step, plan::RepeatOp loop) {
    LoopBuckets buckets(step, loop);
    SegmentBuffers buffers(step);
    llvm::MapVector<Value, Source> sources;
    for (auto gather :
         llvm::make_early_inc_range(loop.getOps<dist::AllGatherOp>())) {
      for (auto name : gather.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
        FailureOr<SegmentBuffer> segment = buffers.find(gather, name.getAttr());
        if (failed(segment)) {
          return failure();
        }
        buckets.addSegment(segment->whole,
                           segment->state.getSegment()->getBucket().getValue());
        sources.insert({segment->whole,
                        {segment->state, segment->held,
                         segment->held.getShardAttr(), gather.getLoc()}});
      }
      gather.erase();
    }
    if (sources.empty()) {
      return success();
    }
    int64_t granule = sources.front().second.shard.getGranule();
    if (failed(buckets.assign(plan::MemoryClass::Gathered,
                              target->getGatheredSpace(),
                              granule * maxRanks))) {
      return failure();
    }
    insertGathers(buckets, loop, sources);
    for (auto &[whole, source] : sources) {
      SegmentBuffers::erase(whole);
    }
    return success();
  }

  /// Says on the buffers of `range` what the segments of its bucket take of
  /// them.
  static void describe(const BufferLiveRange &range,
                       const llvm::MapVector<Value, Source> &sources) {
    llvm::MapVector<Operation *, SmallVector<Attribute>> sizes;
    for (auto &[whole, view] : range.views) {
      plan::BufferOp buffer = plan::getBufferRange(view).buffer;
      auto type = cast<MemRefType>(whole.getType());
      sizes[buffer].push_back(plan::SizeAttr::get(
          buffer.getContext(), type.getElementTypeBitWidth(),
          sources.find(whole)->second.shard));
    }
    for (auto &[op, list] : sizes) {
      auto buffer = cast<plan::BufferOp>(op);
      if (buffer.getSpace() != plan::Space::Shared) {
        continue;
      }
      SmallVector<Attribute> buckets;
      if (ArrayAttr others = buffer.getGathersAttr()) {
        llvm::append_range(buckets, others);
      }
      Attribute bucket = ArrayAttr::get(buffer.getContext(), list);
      if (!llvm::is_contained(buckets, bucket)) {
        buckets.push_back(bucket);
        buffer.setGathersAttr(ArrayAttr::get(buffer.getContext(), buckets));
      }
    }
  }

  /// As early as the buffer is free: a bucket is on its way while the one in
  /// the other buffer is used.
  static void insertGathers(const LoopBuckets &buckets, plan::RepeatOp loop,
                            const llvm::MapVector<Value, Source> &sources) {
    Block &body = loop.getBody().front();
    // In front of everything else in the body, in the order of their use.
    Operation *begin = body.empty() ? nullptr : &body.front();
    OpBuilder builder(loop.getContext());
    for (const BufferLiveRange &range : buckets.getLiveRanges()) {
      if (range.liveRange.before >= 0) {
        unsigned last =
            buckets.getLiveRanges()[range.liveRange.before].liveRange.last;
        builder.setInsertionPointAfter(buckets.getInstruction(last));
      } else if (begin) {
        builder.setInsertionPoint(begin);
      }
      describe(range, sources);
      for (auto &[whole, view] : range.views) {
        Source source = sources.find(whole)->second;
        auto gather = plan::AllGatherOp::create(
            builder, source.loc, source.state.getSymNameAttr(), source.part,
            view, source.shard, source.state.getSegmentAttr());
        gather.setLayer(getStateLayer(source.state));
      }
    }
  }

  const Target *target = nullptr;
};

} // namespace
