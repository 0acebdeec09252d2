// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buckets by the segments that gathers name, where PlaceGathers has live
// ranges.
#include "passes/Schedule/GatherCheck.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

namespace {

/// The gathers into one buffer: a bucket ends where another one begins, or the
/// same once more.
class GatheredBuckets {
public:
  void add(plan::AllGatherOp gather) {
    SegmentRefAttr segment = gather.getSegmentAttr();
    Attribute bucket = segment ? Attribute(segment.getBucket()) : Attribute();
    if (sizes.empty() || bucket != current || !segments.insert(segment)) {
      sizes.emplace_back();
      current = bucket;
      segments.clear();
      segments.insert(segment);
    }
    Type element =
        cast<MemRefType>(gather.getWhole().getType()).getElementType();
    sizes.back().push_back(plan::SizeAttr::get(gather.getContext(),
                                               element.getIntOrFloatBitWidth(),
                                               gather.getShard()));
  }

  /// Each list of sizes once.
  llvm::SetVector<Attribute> get(MLIRContext *context) const {
    llvm::SetVector<Attribute> lists;
    for (ArrayRef<Attribute> list : sizes) {
      lists.insert(ArrayAttr::get(context, list));
    }
    return lists;
  }

private:
  Attribute current;
  llvm::SmallSetVector<Attribute, 4> segments; ///< of the current one
  std::vector<SmallVector<Attribute>> sizes;
};

} // namespace

LogicalResult accel::checkGathers(func::FuncOp function) {
  llvm::MapVector<Operation *, GatheredBuckets> gathered;
  bool areSaid = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
      areSaid |= bool(buffer.getGathers());
      if (buffer.getSpace() == plan::Space::Shared) {
        gathered[buffer];
      }
    } else if (auto gather = dyn_cast<plan::AllGatherOp>(op)) {
      plan::BufferOp buffer = plan::getBufferRange(gather.getWhole()).buffer;
      if (buffer.getSpace() == plan::Space::Shared) {
        gathered[buffer].add(gather);
      }
    }
  });
  if (!areSaid) {
    return success();
  }
  for (auto &[op, buckets] : gathered) {
    llvm::SetVector<Attribute> said;
    if (ArrayAttr gathers = cast<plan::BufferOp>(op).getGathersAttr()) {
      said.insert(gathers.begin(), gathers.end());
    }
    llvm::SetVector<Attribute> found = buckets.get(op->getContext());
    for (Attribute bucket : found) {
      if (!said.contains(bucket)) {
        return op->emitOpError("expected to say that ranks gather ")
               << bucket << " into it, got " << said.size() << " other buckets";
      }
    }
    for (Attribute bucket : said) {
      if (!found.contains(bucket)) {
        return op->emitOpError("says that ranks gather ")
               << bucket << " into it, and no bucket is like that";
      }
    }
  }
  return success();
}
