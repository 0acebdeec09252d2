// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation for every access.
#include "passes/Lower/Cpu/FloatMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace accel;

Value FloatMemory::cast(const TileCode &t, Value buffer) {
  OpBuilder &builder = t.getBuilder();
  auto element = mlir::cast<MemRefType>(buffer.getType()).getElementType();
  auto type = MemRefType::get({int64_t(1) << 40}, element);
  return memref::ReinterpretCastOp::create(
      builder, t.getLoc(), type, buffer, OpFoldResult(builder.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(type.getDimSize(0))},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

/// A descriptor of a memref is the same whatever its elements are: once both
/// are descriptors, nothing is left of the cast.
Value FloatMemory::castTo(const TileCode &t, Value buffer, Type element) {
  Value floats = cast(t, buffer);
  auto type = MemRefType::get(
      mlir::cast<MemRefType>(floats.getType()).getShape(), element);
  return UnrealizedConversionCastOp::create(t.getBuilder(), t.getLoc(), type,
                                            floats)
      .getResult(0);
}

VectorType FloatMemory::typeOf(int64_t lanes) const {
  return VectorType::get({lanes}, getElement());
}

Value FloatMemory::zero(int64_t lanes) const { return t.zeros(typeOf(lanes)); }

Value FloatMemory::maskOf(Value count, int64_t lanes) const {
  auto type = VectorType::get({lanes}, t.getBuilder().getI1Type());
  return vector::CreateMaskOp::create(t.getBuilder(), t.getLoc(), type,
                                      ValueRange{count});
}

Value FloatMemory::scalar(Value at) const {
  return memref::LoadOp::create(t.getBuilder(), t.getLoc(), memory,
                                ValueRange{at});
}

Value FloatMemory::load(Value at, int64_t lanes) const {
  return vector::LoadOp::create(t.getBuilder(), t.getLoc(), typeOf(lanes),
                                memory, ValueRange{at});
}

Value FloatMemory::loadSome(Value at, int64_t lanes, Value count) const {
  return vector::MaskedLoadOp::create(t.getBuilder(), t.getLoc(), typeOf(lanes),
                                      memory, ValueRange{at},
                                      maskOf(count, lanes), zero(lanes));
}

void FloatMemory::store(Value lanes, Value at) const {
  vector::StoreOp::create(t.getBuilder(), t.getLoc(), lanes, memory,
                          ValueRange{at});
}

void FloatMemory::storeSome(Value lanes, Value at, Value count) const {
  int64_t size = mlir::cast<VectorType>(lanes.getType()).getNumElements();
  vector::MaskedStoreOp::create(t.getBuilder(), t.getLoc(), memory,
                                ValueRange{at}, maskOf(count, size), lanes);
}

void FloatMemory::prefetch(Value at) const {
  memref::PrefetchOp::create(t.getBuilder(), t.getLoc(), memory, ValueRange{at},
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}
