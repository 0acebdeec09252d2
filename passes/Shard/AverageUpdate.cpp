// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// e += (1 - X) (p - e), as torch.optim.swa_utils does it. In X e + (1 - X) p
// both factors would be rounded to f32 apart: where X is 0.9999, their sum
// misses 1 by so much that the average of a constant ends 0.03 % beside it.
#include "passes/Shard/AverageUpdate.h"

#include "dialects/Accel/IR/Optimizers/Average.h"

using namespace mlir;
using namespace accel;

/// What the step writes to the master of `segment`.
static Value findWritten(UpdateBuilder &b, const TrainedSegment &segment) {
  OpBuilder &builder = b.getBuilder();
  std::string master = segment.segment.getSlotName(
      SlotAttr::get(builder.getContext(), SlotRole::Master));
  for (WriteOp write : builder.getBlock()->getOps<WriteOp>()) {
    if (write.getSymbol() == master) {
      return write.getValue();
    }
  }
  llvm_unreachable("every optimizer writes the masters of its segments");
}

void accel::buildAverageUpdate(UpdateBuilder &b, ModuleOp module,
                               ArrayRef<TrainedSegment> segments) {
  if (!module.lookupSymbol(kEmaState)) {
    return;
  }
  Value one = b.number(1);
  Value share = roundToF32(b, b.sub(one, b.read(kEmaState)));
  for (const TrainedSegment &segment : segments) {
    SegmentBuilder elements(b, segment);
    Value average = elements.read(kAverageSlot.name);
    Value way = elements.sub(findWritten(b, segment), average);
    elements.write(
        kAverageSlot.name,
        elements.add(average, elements.mul(way, elements.repeat(share))));
  }
}
