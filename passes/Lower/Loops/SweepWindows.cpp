// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in buffers, and views from there on.
#include "passes/Lower/Loops/SweepWindows.h"

#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

Value SweepWindows::viewFrom(Value buffer, OpFoldResult offset) {
  OpBuilder &builder = emitter.getBuilder();
  return memref::SubViewOp::create(
      builder, emitter.getLoc(), buffer, ArrayRef<OpFoldResult>{offset},
      ArrayRef<OpFoldResult>{range.size},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

Value SweepWindows::getPlace(AffineExpr first) {
  Value place = emitter.materialize(first);
  IndexArithmetic indices(emitter.getBuilder(), emitter.getLoc());
  return range.inner ? indices.add(place, range.inner) : place;
}

Value SweepWindows::get(Value buffer, AffineExpr first) {
  Value &known = views[{buffer, first}];
  if (!known) {
    known = viewFrom(buffer, getAsOpFoldResult(getPlace(first)));
  }
  return known;
}

Value SweepWindows::getWhole(Value buffer) {
  Value &known = views[{buffer, AffineExpr()}];
  if (!known) {
    known = viewFrom(buffer, emitter.getBuilder().getIndexAttr(0));
  }
  return known;
}

Value SweepWindows::getShape() {
  OpBuilder &builder = emitter.getBuilder();
  Value buffer = emitter.getResultBuffer(0);
  auto type = cast<MemRefType>(buffer.getType());
  int64_t size = ShapedType::kDynamic;
  if (auto attribute = dyn_cast<Attribute>(range.size)) {
    size = cast<IntegerAttr>(attribute).getInt();
  }
  auto layout = StridedLayoutAttr::get(builder.getContext(), 0, {1});
  auto shaped = MemRefType::get({size}, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      builder, emitter.getLoc(), shaped, buffer,
      OpFoldResult(builder.getIndexAttr(0)), ArrayRef<OpFoldResult>{range.size},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}
