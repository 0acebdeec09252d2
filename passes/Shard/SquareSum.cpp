// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of summation is that of the layout and of nothing else.
#include "passes/Shard/SquareSum.h"

#include "passes/Shard/BucketLayout.h"

using namespace mlir;
using namespace accel;

Value accel::buildSquareSum(ScalarBuilder &b, const TrainedSegment &segment) {
  auto type =
      RankedTensorType::get({segment.elements}, b.getBuilder().getF32Type());
  auto slot = SlotAttr::get(type.getContext(), SlotRole::Gradient);
  Value gradient = b.create<ReadOp>(type, segment.segment.getSlotName(slot));
  int64_t rows = segment.elements / kSegmentGranule;
  Value matrix = b.reshape(b.mul(gradient, gradient), {rows, kSegmentGranule});
  Value sums = b.sum(matrix, {1});
  return b.sum(b.cast(sums, b.getBuilder().getF64Type()), {0});
}
