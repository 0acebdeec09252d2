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

//===----------------------------------------------------------------------===//
// Where rows lie
//===----------------------------------------------------------------------===//

HeadRows HeadRows::getOperand(KernelEmitter &emitter, Operation *op,
                              Value operand) {
  Value root = getViewRoot(operand, [](Value) { return false; });
  auto argument = dyn_cast<BlockArgument>(root);
  std::optional<StridedView> view =
      argument ? getStridedView(operand, root) : std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(operand);
  if (!view || (view->strides.back() != 1 && shape.back() != 1)) {
    emitter.emitError(op)
        << "expected operands that lie in memory, the last dimension "
           "contiguous, got one of "
        << operand.getType() << " that does not";
    return {};
  }
  return {emitter.getBuffer(argument), *view, shape.back(),
          elementTypeOf(operand)};
}

HeadRows HeadRows::getResult(KernelEmitter &emitter, Operation *op,
                             unsigned number) {
  Value result = op->getResult(number);
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    auto transpose = returned.getDefiningOp<TransposeOp>();
    bool isTransposed = transpose && transpose.getOperand() == result;
    if (returned != result && !isTransposed) {
      continue;
    }
    ArrayRef<int64_t> shape = shapeOf(returned);
    SmallVector<int64_t> strides(shape.size(), 0);
    int64_t stride = 1;
    for (int64_t axis = shape.size(); axis-- > 0;) {
      strides[isTransposed ? transpose.getPermutation()[axis] : axis] = stride;
      stride *= shape[axis];
    }
    return {emitter.getResultBuffer(i),
            {0, strides},
            shapeOf(result).back(),
            elementTypeOf(result)};
  }
  return {};
}

Value WarpRows::getRow(const HeadRows &tensor, Value batch, Value head,
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

Value WarpRows::get(Value number) const {
  return memref::LoadOp::create(builder, loc, number, ValueRange());
}

void WarpRows::set(Value number, Value value) const {
  memref::StoreOp::create(builder, loc, value, number, ValueRange());
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

Value WarpRows::dot(const HeadRows &a, Value aRow, const HeadRows &b,
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

void WarpRows::accumulate(Value kept, Value decay, const HeadRows &tensor,
                          Value row, Value factor) const {
  sweep({row}, kept, [&](OpBuilder &inside, ValueRange elements) {
    Arithmetic m(inside, loc, inside.getF32Type());
    Value before = decay ? m.mul(elements[1], decay) : elements[1];
    return m.fma(toFloat(inside, elements[0], tensor.element), factor, before);
  });
}

void WarpRows::store(Value kept, Value factor, const HeadRows &tensor,
                     Value row) const {
  sweep({kept}, row, [&](OpBuilder &inside, ValueRange elements) {
    Arithmetic m(inside, loc, inside.getF32Type());
    Value value = factor ? m.mul(elements[0], factor) : elements[0];
    return toStorage(inside, loc,
                     emitElementCast(inside, loc, value, inside.getF32Type(),
                                     tensor.element, /*saturates=*/false));
  });
}
