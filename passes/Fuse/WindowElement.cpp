// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes parts of what is computed element by element, down to its leaves.
#include "passes/Fuse/WindowElement.h"

#include "dialects/Accel/IR/ByElement.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

void accel::forEachIndex(ArrayRef<int64_t> sizes,
                         llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(sizes.size(), 0);
  while (true) {
    body(index);
    int64_t dimension = static_cast<int64_t>(sizes.size()) - 1;
    while (dimension >= 0 && ++index[dimension] == sizes[dimension]) {
      index[dimension--] = 0;
    }
    if (dimension < 0) {
      return;
    }
  }
}

std::optional<int64_t> accel::getWindowRank(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  std::optional<int64_t> rank;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (auto windows = dyn_cast_or_null<WindowsOp>(op)) {
      int64_t own = windows.getSizes().size();
      rank = std::min(rank.value_or(own), own);
    } else if (isComputedByElement(op)) {
      values.insert_range(op->getOperands());
    }
  }
  return rank;
}

RankedTensorType WindowElement::reducedType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dimension : otherAxes(type.getRank(), axes)) {
    shape.push_back(type.getDimSize(dimension));
  }
  return type.clone(shape);
}

Value WindowElement::of(Value value) {
  if (axes.empty()) {
    return value;
  }
  Value &part = parts[value];
  if (!part) {
    Value made = make(value);
    parts[value] = made; // `part` may have moved
    return made;
  }
  return part;
}

Value WindowElement::make(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return slice(value);
  }
  if (isComputedByElement(op)) {
    return compute(op);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](IotaOp iota) { return makeIndex(iota); })
      .Case([&](WindowsOp windows) { return fromWindows(windows); })
      .Case([&](TransposeOp transpose) {
        return transpose.getStored() ? slice(value) : fromTranspose(transpose);
      })
      .Case([&](BroadcastOp broadcast) { return fromBroadcast(broadcast); })
      .Default([&](Operation *) { return slice(value); });
}

Value WindowElement::makeIndex(IotaOp op) {
  const int64_t *axis =
      llvm::find(axes, static_cast<int64_t>(op.getDimension()));
  return axis == axes.end()
             ? slice(op)
             : b.constant(reducedType(op),
                          static_cast<double>(indices[axis - axes.begin()]));
}

/// One element of each window is a slice with the windows' strides.
Value WindowElement::fromWindows(WindowsOp op) {
  int64_t rank = shapeOf(op.getOperand()).size();
  bool areElements = axes.front() >= rank;
  if (!areElements || axes.size() != op.getAxes().size()) {
    return slice(op);
  }
  RankedTensorType type = reducedType(op);
  SmallVector<int64_t> offsets(rank, 0), strides(rank, 1);
  for (auto [axis, index, stride, dilation] : llvm::zip_equal(
           op.getAxes(), indices, op.getStrides(), op.getDilations())) {
    offsets[axis] = index * dilation;
    strides[axis] = type.getDimSize(axis) == 1 ? 1 : stride;
  }
  return b.create<SliceOp>(type, op.getOperand(), offsets, strides);
}

Value WindowElement::fromTranspose(TransposeOp op) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (auto [axis, index] : llvm::zip_equal(axes, indices)) {
    taken.emplace_back(op.getPermutation()[axis], index);
  }
  llvm::sort(taken);
  auto from = llvm::to_vector(llvm::make_first_range(taken));
  auto at = llvm::to_vector(llvm::make_second_range(taken));
  Value part = WindowElement(b, from, at).of(op.getOperand());
  SmallVector<int64_t> kept = otherAxes(shapeOf(op.getOperand()).size(), from);
  SmallVector<int64_t> order;
  for (int64_t dimension : otherAxes(shapeOf(op.getResult()).size(), axes)) {
    order.push_back(llvm::find(kept, op.getPermutation()[dimension]) -
                    kept.begin());
  }
  return llvm::is_sorted(order) ? part : b.create<TransposeOp>(part, order);
}

Value WindowElement::fromBroadcast(BroadcastOp op) {
  SmallVector<int64_t> from, at, dimensions;
  SmallVector<int64_t> kept = otherAxes(shapeOf(op.getResult()).size(), axes);
  for (auto [i, dimension] : llvm::enumerate(op.getDimensions())) {
    const int64_t *axis = llvm::find(axes, dimension);
    if (axis == axes.end()) {
      dimensions.push_back(llvm::find(kept, dimension) - kept.begin());
    } else {
      bool isRepeated = shapeOf(op.getOperand())[i] == 1;
      from.push_back(static_cast<int64_t>(i));
      at.push_back(isRepeated ? 0 : indices[axis - axes.begin()]);
    }
  }
  Value part = WindowElement(b, from, at).of(op.getOperand());
  return b.create<BroadcastOp>(reducedType(op), part, dimensions);
}

Value WindowElement::compute(Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return of(operand); });
  return buildLike(b.getBuilder(), op, operands,
                   reducedType(op->getResult(0)).getShape());
}

Value WindowElement::slice(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  for (auto [axis, index] : llvm::zip_equal(axes, indices)) {
    offsets[axis] = index;
    shape[axis] = 1;
  }
  Value part = b.create<SliceOp>(type.clone(shape), value, offsets, strides);
  return b.reshape(part, reducedType(value).getShape());
}
