// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors, masked vectors of a tail, single elements.
#include "passes/Lower/Cpu/RowMemory.h"

#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Loops/SweepOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace accel;

static constexpr int64_t kLineBytes = 64;
/// Half a page: what streams of several arrays have on their way to the second
/// cache (measured: 1 to 4 KiB are as good).
static constexpr int64_t kBytesAhead = 2048;

/// A buffer of one vector, declared at the function's entry.
Value RowMemory::stage(VectorType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      &op->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
}

/// Copies the elements of a tail one by one, from or to a buffer of one vector.
void RowMemory::copy(Value from, bool fromStage, Value to) {
  Value first = indices.index(0);
  Value step = indices.index(1);
  scf::ForOp::create(
      builder, loc, first, iteration.count, step, ValueRange(),
      [&](OpBuilder &b, Location loc, Value i, ValueRange) {
        Value place = IndexArithmetic(b, loc).add(iteration.start, i);
        Value element =
            memref::LoadOp::create(b, loc, from, fromStage ? i : place);
        memref::StoreOp::create(b, loc, element, to, fromStage ? place : i);
        scf::YieldOp::create(b, loc);
      });
}

// AVX2 has no masked access to bytes: masked loads and stores would become a
// branch per element.
bool RowMemory::needsStage(Type element) const {
  return iteration.mask && element.getIntOrFloatBitWidth() < 32;
}

Value RowMemory::loadStaged(Value buffer, VectorType type) {
  Value staged = stage(type);
  Value zeros = Arithmetic(builder, loc, type).number(0.0);
  vector::StoreOp::create(builder, loc, zeros, staged,
                          ValueRange{indices.index(0)});
  copy(buffer, /*fromStage=*/false, staged);
  return vector::LoadOp::create(builder, loc, type, staged,
                                ValueRange{indices.index(0)});
}

Value RowMemory::load(OpOperand &operand) {
  Value buffer = operand.get();
  Type element = getElementTypeOrSelf(buffer.getType());
  if (op.getMatchingIndexingMap(&operand).getNumResults() == 0) {
    return memref::LoadOp::create(builder, loc, buffer, ValueRange());
  }
  if (iteration.lanes == 0) {
    return memref::LoadOp::create(builder, loc, buffer, iteration.start);
  }
  auto type = VectorType::get({iteration.lanes}, element);
  if (needsStage(element)) {
    return loadStaged(buffer, type);
  }
  if (iteration.mask) {
    Value zeros = Arithmetic(builder, loc, type).number(0.0);
    return vector::MaskedLoadOp::create(builder, loc, type, buffer,
                                        iteration.start, iteration.mask, zeros);
  }
  if (op->hasAttr(kFarAttr)) {
    prefetch(buffer, element);
  }
  return vector::LoadOp::create(builder, loc, type, buffer, iteration.start);
}

/// For the lines that the vectors of a later iteration are read from, which
/// need not exist.
void RowMemory::prefetch(Value buffer, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  for (int64_t line = 0; line * kLineBytes < iteration.lanes * bytes; ++line) {
    int64_t distance = (kBytesAhead + line * kLineBytes) / bytes;
    Value place = indices.add(iteration.start, distance);
    memref::PrefetchOp::create(builder, loc, buffer, ValueRange{place},
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

void RowMemory::store(Value buffer, Value value) {
  if (iteration.lanes == 0) {
    memref::StoreOp::create(builder, loc, value, buffer, iteration.start);
  } else if (needsStage(getElementTypeOrSelf(value.getType()))) {
    Value staged = stage(cast<VectorType>(value.getType()));
    vector::StoreOp::create(builder, loc, value, staged,
                            ValueRange{indices.index(0)});
    copy(staged, /*fromStage=*/true, buffer);
  } else if (iteration.mask) {
    vector::MaskedStoreOp::create(builder, loc, buffer, iteration.start,
                                  iteration.mask, value);
  } else {
    vector::StoreOp::create(builder, loc, value, buffer, iteration.start);
  }
}
