// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of segments, and views of the buffers that buckets take turns in.
#include "passes/Schedule/LoopBuckets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace accel;

/// Where segments begin in a buffer, in elements: a line of the cache, whatever
/// their type.
static constexpr int64_t kSegmentAlignment = 64;

void LoopBuckets::addSegment(Value whole, StringRef bucket) {
  auto known = llvm::find(buckets, bucket);
  unsigned number = known - buckets.begin();
  if (known == buckets.end()) {
    buckets.push_back(bucket.str());
  }
  segments.insert({whole, number});
}

/// The segment that `buffer` is a view of; null if of none.
Value LoopBuckets::getSegment(Value buffer) const {
  if (!isa<MemRefType>(buffer.getType())) {
    return {};
  }
  Value root = plan::getBufferRange(buffer).buffer.getResult();
  return segments.count(root) ? root : Value();
}

SmallVector<unsigned, 2> LoopBuckets::getBuckets(Operation *op) const {
  SmallVector<unsigned, 2> used;
  for (Value operand : op->getOperands()) {
    Value segment = getSegment(operand);
    if (segment && !llvm::is_contained(used, segments.find(segment)->second)) {
      used.push_back(segments.find(segment)->second);
    }
  }
  return used;
}

/// The largest first: behind each segment there is room that only many ranks
/// touch, and live ranges that agree on what is in front leave the same gaps.
static SmallVector<std::pair<Value, Value *>>
orderViews(BufferLiveRange &liveRange) {
  SmallVector<std::pair<Value, Value *>> views;
  for (auto &[whole, view] : liveRange.views) {
    views.push_back({whole, &view});
  }
  llvm::stable_sort(views, [](const auto &left, const auto &right) {
    return cast<MemRefType>(left.first.getType()).getNumElements() >
           cast<MemRefType>(right.first.getType()).getNumElements();
  });
  return views;
}

/// `count` buffers of each type of elements, each as large as what is put into
/// it at any time.
void LoopBuckets::declareBuffers(unsigned count, plan::MemoryClass klass,
                                 plan::Space space, int64_t extraElements) {
  // By number and type: its size so far, and the buffer.
  using Key = std::pair<unsigned, const void *>;
  std::map<Key, std::pair<int64_t, Value>> buffers;
  std::vector<std::map<const void *, int64_t>> ends(liveRanges.size());
  SmallVector<Type> types;
  auto place = [&](auto use) {
    for (auto [i, each] : llvm::enumerate(liveRanges)) {
      std::map<const void *, int64_t> end;
      for (auto [whole, view] : orderViews(each)) {
        auto type = cast<MemRefType>(whole.getType());
        const void *key = type.getElementType().getAsOpaquePointer();
        int64_t begin = end[key];
        int64_t elements = type.getNumElements() + extraElements;
        end[key] = llvm::alignTo(begin + elements, kSegmentAlignment);
        use(Key{each.liveRange.buffer, key}, begin, end[key], type, *view);
      }
    }
  };
  place([&](Key key, int64_t, int64_t end, MemRefType type, Value &) {
    auto [buffer, isNew] = buffers.try_emplace(key, 0, Value());
    buffer->second.first = std::max(buffer->second.first, end);
    if (isNew) {
      types.push_back(type.getElementType());
    }
  });
  OpBuilder builder(loop);
  for (unsigned number = 0; number < count; ++number) {
    for (Type type : types) {
      auto buffer = buffers.find({number, type.getAsOpaquePointer()});
      if (buffer == buffers.end() || buffer->second.second) {
        continue;
      }
      buffer->second.second =
          plan::BufferOp::create(builder, function.getLoc(),
                                 MemRefType::get({buffer->second.first}, type),
                                 plan::Region::Transient, klass, StringAttr(),
                                 ElementsAttr(), /*copies=*/1, space);
    }
  }
  place([&](Key key, int64_t begin, int64_t, MemRefType type, Value &view) {
    view = plan::ViewOp::create(builder, function.getLoc(), type,
                                buffers.at(key).second, begin);
  });
}

/// Puts views of the buffer in the place of views of segments.
void LoopBuckets::rewrite(Operation *op, unsigned number) {
  OpBuilder builder(loop);
  for (OpOperand &operand : op->getOpOperands()) {
    Value segment = getSegment(operand.get());
    if (!segment) {
      continue;
    }
    unsigned bucket = segments.find(segment)->second;
    auto liveRange =
        llvm::find_if(liveRanges, [&](const BufferLiveRange &each) {
          return each.liveRange.bucket == bucket &&
                 each.liveRange.first <= number &&
                 number <= each.liveRange.last;
        });
    Value there = liveRange->views.lookup(segment);
    plan::BufferRange range = plan::getBufferRange(operand.get());
    auto type = cast<MemRefType>(operand.get().getType());
    operand.set(
        type == there.getType()
            ? there
            : plan::ViewOp::create(builder, op->getLoc(), type, there,
                                   range.begin / plan::getElementBytes(type))
                  .getResult());
  }
}

LogicalResult LoopBuckets::assign(plan::MemoryClass klass, plan::Space space,
                                  int64_t extraElements) {
  BucketUses uses;
  loop.walk([&](plan::InstructionOpInterface op) {
    SmallVector<unsigned, 2> used = getBuckets(op);
    if (!used.empty()) {
      instructions.push_back(op);
      uses.instructions.push_back(used);
    }
  });
  std::vector<BucketLiveRange> solved = uses.solve();
  if (std::string reason = uses.verify(solved); !reason.empty()) {
    return function.emitError("buffers of buckets: ") << reason;
  }
  for (const BucketLiveRange &liveRange : solved) {
    BufferLiveRange &added = liveRanges.emplace_back();
    added.liveRange = liveRange;
    for (unsigned i = liveRange.first; i <= liveRange.last; ++i) {
      for (Value operand : instructions[i]->getOperands()) {
        Value segment = getSegment(operand);
        if (segment && segments.find(segment)->second == liveRange.bucket) {
          added.views.insert({segment, Value()});
        }
      }
    }
  }
  declareBuffers(uses.countBuffers(), klass, space, extraElements);
  for (auto [i, op] : llvm::enumerate(instructions)) {
    rewrite(op, i);
  }
  return success();
}
