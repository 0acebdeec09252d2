// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows become buffers, and what is done with them one-dimensional
// linalg.generics.
#include "passes/Lower/Cuda/WarpRows.h"

#include "passes/Lower/Conversions.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <array>

using namespace mlir;
using namespace accel;

Value WarpRows::getRow(const HeadTensor &tensor, Value batch, Value head,
                       Value row) const {
  IndexArithmetic indices(builder, loc);
  Value offset = indices.index(tensor.view.offset);
  std::array<Value, 3> places = {batch, head, row};
  for (auto [place, stride] : llvm::zip(places, tensor.view.strides)) {
    offset = indices.add(offset, indices.mul(place, stride));
  }
  return memref::SubViewOp::create(
      builder, loc, tensor.buffer,
      ArrayRef<OpFoldResult>{getAsOpFoldResult(offset)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(tensor.columns)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

//===----------------------------------------------------------------------===//
// What threads keep
//===----------------------------------------------------------------------===//

Value WarpRows::makeNumber() const {
  return emitter.allocate(builder.getF32Type(), {});
}

Value WarpRows::get(Value number) const { return emitter.getNumber(number); }

void WarpRows::set(Value number, Value value) const {
  emitter.setNumber(number, value);
}

Value WarpRows::makeRow(int64_t columns) const {
  return emitter.allocate(builder.getF32Type(), {columns});
}

void WarpRows::clear(Value row) const {
  sweep({}, row, [&](OpBuilder &inside, ValueRange) {
    return Arithmetic(inside, loc, inside.getF32Type()).number(0.0);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void WarpRows::sweep(
    ValueRange inputs, Value output,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> body) const {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps;
  auto addMap = [&](Value buffer) {
    bool isStreamed = cast<MemRefType>(buffer.getType()).getRank() == 1;
    maps.push_back(isStreamed ? AffineMap::getMultiDimIdentityMap(1, context)
                              : AffineMap::get(1, 0, context));
    return isStreamed;
  };
  llvm::for_each(inputs, addMap);
  auto kind = addMap(output) ? utils::IteratorType::parallel
                             : utils::IteratorType::reduction;
  linalg::GenericOp::create(
      builder, loc, inputs, ValueRange{output}, maps, kind,
      [&](OpBuilder &inside, Location, ValueRange elements) {
        linalg::YieldOp::create(inside, loc, body(inside, elements));
      });
}

Value WarpRows::toFloat(OpBuilder &inside, Value stored, Type element) const {
  return emitElementCast(inside, loc, fromStorage(inside, loc, stored, element),
                         element, inside.getF32Type(), /*saturates=*/false);
}

Value WarpRows::dot(const HeadTensor &a, Value aRow, const HeadTensor &b,
                    Value bRow) const {
  Value total = makeNumber();
  set(total, Arithmetic(builder, loc, builder.getF32Type()).number(0.0));
  sweep({aRow, bRow}, total, [&](OpBuilder &inside, ValueRange elements) {
    Arithmetic m(inside, loc, inside.getF32Type());
    Value product = m.mul(toFloat(inside, elements[0], a.element),
                          toFloat(inside, elements[1], b.element));
    return m.add(elements[2], product);
  });
  return get(total);
}

void WarpRows::accumulate(Value kept, Value decay, const HeadTensor &tensor,
                          Value row, Value factor) const {
  sweep({row}, kept, [&](OpBuilder &inside, ValueRange elements) {
    Arithmetic m(inside, loc, inside.getF32Type());
    Value before = decay ? m.mul(elements[1], decay) : elements[1];
    return m.fma(toFloat(inside, elements[0], tensor.element), factor, before);
  });
}

void WarpRows::store(Value kept, Value factor, const HeadTensor &tensor,
                     Value row) const {
  sweep({kept}, row, [&](OpBuilder &inside, ValueRange elements) {
    Arithmetic m(inside, loc, inside.getF32Type());
    Value value = factor ? m.mul(elements[0], factor) : elements[0];
    return toStorage(inside, loc,
                     emitElementCast(inside, loc, value, inside.getF32Type(),
                                     tensor.element, /*saturates=*/false));
  });
}
