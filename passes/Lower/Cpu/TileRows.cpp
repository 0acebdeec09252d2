// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of vectors, masked where a row ends within one.
#include "passes/Lower/Cpu/TileRows.h"

#include "passes/Lower/SmallFloatCasts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace accel;

TileRows::TileRows(const TileCode &code, Value buffer, Value offset,
                   int64_t rows, int64_t columns, int64_t rowStride,
                   const SmallFloat *format)
    : code(&code), format(format), columns(columns) {
  OpBuilder &builder = code.getBuilder();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, {rowStride, 1});
  auto type = MemRefType::get({rows, columns}, element, layout);
  memory = memref::ReinterpretCastOp::create(
      builder, code.getLoc(), type, buffer, OpFoldResult(offset),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(rows),
                             builder.getIndexAttr(columns)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(rowStride),
                             builder.getIndexAttr(1)});
}

VectorType TileRows::getStoredLanes() const {
  return code->vectorOf(cast<MemRefType>(memory.getType()).getElementType());
}

Value TileRows::widen(Value stored) const {
  return format
             ? emitWidened(code->getBuilder(), code->getLoc(), *format, stored)
             : stored;
}

Value TileRows::narrow(Value number) const {
  return format ? emitNarrowed(code->getBuilder(), code->getLoc(), *format,
                               number, /*saturates=*/false)
                : number;
}

Value TileRows::scalar(Value row, Value column) const {
  return widen(memref::LoadOp::create(code->getBuilder(), code->getLoc(),
                                      memory, ValueRange{row, column}));
}

/// Which of sixteen lanes from `column` on exist.
Value TileRows::existing(int64_t column) const {
  OpBuilder &builder = code->getBuilder();
  SmallVector<bool> bits;
  for (int64_t lane = 0; lane < kTileLanes; ++lane) {
    bits.push_back(column + lane < columns);
  }
  return arith::ConstantOp::create(
      builder, code->getLoc(),
      DenseElementsAttr::get(code->vectorOf(builder.getI1Type()),
                             ArrayRef<bool>(bits)));
}

Value TileRows::existing(Value column) const {
  Value left = code->sub(code->index(columns), column);
  return code->lanesThat(arith::CmpIPredicate::slt, left);
}

Value TileRows::lanes(Value row, int64_t column) const {
  Value at = code->index(column);
  if (column + kTileLanes <= columns) {
    return allLanes(row, at);
  }
  VectorType type = getStoredLanes();
  return widen(vector::MaskedLoadOp::create(
      code->getBuilder(), code->getLoc(), type, memory, ValueRange{row, at},
      existing(column), code->zeros(type)));
}

Value TileRows::lanes(Value row, Value column) const {
  std::optional<int64_t> constant = getConstantIntValue(column);
  return constant ? lanes(row, *constant) : allLanes(row, column);
}

Value TileRows::allLanes(Value row, Value column) const {
  return widen(vector::LoadOp::create(code->getBuilder(), code->getLoc(),
                                      getStoredLanes(), memory,
                                      ValueRange{row, column}));
}

Value TileRows::someLanes(Value row, Value column, Value otherwise) const {
  assert(!format && "numbers of f32");
  OpBuilder &builder = code->getBuilder();
  return vector::MaskedLoadOp::create(
      builder, code->getLoc(), otherwise.getType(), memory,
      ValueRange{row, column}, existing(column), otherwise);
}

void TileRows::store(Value lanes, Value row, int64_t column) const {
  Value at = code->index(column);
  if (column + kTileLanes <= columns) {
    return storeAll(lanes, row, at);
  }
  vector::MaskedStoreOp::create(code->getBuilder(), code->getLoc(), memory,
                                ValueRange{row, at}, existing(column),
                                narrow(lanes));
}

void TileRows::store(Value lanes, Value row, Value column) const {
  std::optional<int64_t> constant = getConstantIntValue(column);
  constant ? store(lanes, row, *constant) : storeAll(lanes, row, column);
}

void TileRows::storeAll(Value lanes, Value row, Value column) const {
  vector::StoreOp::create(code->getBuilder(), code->getLoc(), narrow(lanes),
                          memory, ValueRange{row, column});
}

void TileRows::storeSome(Value lanes, Value row, Value column) const {
  vector::MaskedStoreOp::create(code->getBuilder(), code->getLoc(), memory,
                                ValueRange{row, column}, existing(column),
                                narrow(lanes));
}

void TileRows::storeScalar(Value scalar, Value row, Value column) const {
  memref::StoreOp::create(code->getBuilder(), code->getLoc(), narrow(scalar),
                          memory, ValueRange{row, column});
}

TileRows accel::getHead(const TileCode &t, const HeadTensor &tensor,
                        Value batch, Value head) {
  ArrayRef<int64_t> strides = tensor.view.strides;
  Value offset = t.add(t.mul(batch, strides[0]), t.mul(head, strides[1]));
  // A stride is not zero, even where no step is made.
  return {t,
          tensor.buffer,
          t.add(offset, tensor.view.offset),
          tensor.rows,
          tensor.columns,
          std::max<int64_t>(1, strides[2]),
          SmallFloat::get(tensor.element)};
}
