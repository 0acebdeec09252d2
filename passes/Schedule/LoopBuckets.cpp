// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of segments, and views of slots in their place.
#include "passes/Schedule/LoopBuckets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace accel;

/// Where segments begin in a slot, in elements: a line of the cache, whatever
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
orderViews(SlotLiveRange &liveRange) {
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

/// Two slots, each as large as what is put into it at any time; one buffer for
/// every type of elements.
void LoopBuckets::declareSlots(plan::MemoryClass klass, plan::Space space,
                               int64_t extraElements) {
  // By slot and type: its size so far, and the buffer.
  using Key = std::pair<unsigned, const void *>;
  std::map<Key, std::pair<int64_t, Value>> slots;
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
        use(Key{each.liveRange.slot, key}, begin, end[key], type, *view);
      }
    }
  };
  place([&](Key key, int64_t, int64_t end, MemRefType type, Value &) {
    auto [slot, isNew] = slots.try_emplace(key, 0, Value());
    slot->second.first = std::max(slot->second.first, end);
    if (isNew) {
      types.push_back(type.getElementType());
    }
  });
  OpBuilder builder(loop);
  for (unsigned number = 0; number < kBucketSlots; ++number) {
    for (Type type : types) {
      auto slot = slots.find({number, type.getAsOpaquePointer()});
      if (slot == slots.end() || slot->second.second) {
        continue;
      }
      slot->second.second = plan::BufferOp::create(
          builder, function.getLoc(),
          MemRefType::get({slot->second.first}, type), plan::Region::Transient,
          klass, StringAttr(), ElementsAttr(), /*copies=*/1, space);
    }
  }
  place([&](Key key, int64_t begin, int64_t, MemRefType type, Value &view) {
    view = plan::ViewOp::create(builder, function.getLoc(), type,
                                slots.at(key).second, begin);
  });
}

/// Puts views of the slot in the place of views of segments.
void LoopBuckets::rewrite(Operation *op, unsigned number) {
  OpBuilder builder(loop);
  for (OpOperand &operand : op->getOpOperands()) {
    Value segment = getSegment(operand.get());
    if (!segment) {
      continue;
    }
    unsigned bucket = segments.find(segment)->second;
    auto liveRange = llvm::find_if(liveRanges, [&](const SlotLiveRange &each) {
      return each.liveRange.bucket == bucket &&
             each.liveRange.first <= number && number <= each.liveRange.last;
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
  for (auto [i, used] : llvm::enumerate(uses.instructions)) {
    if (used.size() > kBucketSlots) {
      return instructions[i]->emitOpError("uses ")
             << (klass == plan::MemoryClass::Gradients ? "gradients"
                                                       : "parameters")
             << " of " << used.size() << " buckets, and " << kBucketSlots
             << " can be whole at the same time";
    }
  }
  std::vector<BucketLiveRange> solved = uses.solve();
  if (std::string reason = uses.verify(solved); !reason.empty()) {
    return function.emitError("slots of buckets: ") << reason;
  }
  for (const BucketLiveRange &liveRange : solved) {
    SlotLiveRange &slot = liveRanges.emplace_back();
    slot.liveRange = liveRange;
    for (unsigned i = liveRange.first; i <= liveRange.last; ++i) {
      for (Value operand : instructions[i]->getOperands()) {
        Value segment = getSegment(operand);
        if (segment && segments.find(segment)->second == liveRange.bucket) {
          slot.views.insert({segment, Value()});
        }
      }
    }
  }
  declareSlots(klass, space, extraElements);
  for (auto [i, op] : llvm::enumerate(instructions)) {
    rewrite(op, i);
  }
  return success();
}
