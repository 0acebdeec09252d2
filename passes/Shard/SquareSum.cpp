// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of summation is that of the layout and of nothing else.
#include "passes/Shard/SquareSum.h"

#include "passes/Shard/BucketLayout.h"

using namespace mlir;
using namespace accel;

Value accel::buildSquareSum(ScalarBuilder &scalars,
                            const SegmentSlots &segment) {
  OpBuilder &builder = scalars.getBuilder();
  Location loc = scalars.getLoc();
  Type f32 = builder.getF32Type();
  Type f64 = builder.getF64Type();
  int64_t rows = segment.elements / kSegmentGranule;
  auto flat = RankedTensorType::get({segment.elements}, f32);
  Value gradient =
      ReadOp::create(builder, loc, flat, segment.getSlot("gradient"));
  Value squares = MulOp::create(builder, loc, gradient, gradient);
  Value matrix = ReshapeOp::create(
      builder, loc, RankedTensorType::get({rows, kSegmentGranule}, f32),
      squares);
  Value sums =
      ReduceSumOp::create(builder, loc, RankedTensorType::get({rows}, f32),
                          matrix, ArrayRef<int64_t>{1});
  Value wide =
      CastOp::create(builder, loc, RankedTensorType::get({rows}, f64), sums);
  return ReduceSumOp::create(builder, loc, RankedTensorType::get({}, f64), wide,
                             ArrayRef<int64_t>{0});
}
