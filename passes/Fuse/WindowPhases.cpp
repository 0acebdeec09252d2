// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts axes into phases and puts these side by side.
#include "passes/Fuse/WindowPhases.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/WindowElement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

bool accel::areApart(SumWindowsOp op) {
  return llvm::all_of(
      llvm::zip_equal(op.getSizes(), op.getStrides(), op.getDilations()),
      [](auto each) {
        auto [size, stride, dilation] = each;
        return size == 1 || (dilation == 1 && stride >= size);
      });
}

WindowPhases::~WindowPhases() = default;

/// The phases of `length` elements of x from `first` on; g has `places`.
static PhasedAxis cutIntoPhases(int64_t size, int64_t stride, int64_t dilation,
                                int64_t places, int64_t first, int64_t length) {
  PhasedAxis axis;
  axis.count = (length + stride - 1) / stride;
  for (int64_t i = 0; i < stride; ++i) {
    WindowPhase phase;
    phase.dilation = stride == 1 ? dilation : 1;
    for (int64_t k = size - 1; k >= 0; --k) {
      if ((first + i - k * dilation) % stride == 0) {
        phase.taps.push_back(k);
      }
    }
    if (!phase.taps.empty()) {
      // Exact: the first tap divides.
      phase.start = (first + i - phase.taps.front() * dilation) / stride;
      int64_t end = phase.start + axis.count - 1 + phase.reach();
      axis.before = std::max(axis.before, -phase.start);
      axis.after = std::max(axis.after, end - places);
    }
    axis.phases.push_back(phase);
  }
  return axis;
}

bool WindowPhases::canBeCut() {
  int64_t rank = shapeOf(sum.getResult()).size();
  return spatial > 0 && rank == spatial + 2 &&
         llvm::equal(sum.getAxes(), axisRange(1, spatial + 1)) &&
         llvm::all_of(llvm::zip_equal(sum.getStrides(), sum.getDilations()),
                      [](auto each) {
                        return std::get<0>(each) == 1 || std::get<1>(each) == 1;
                      });
}

Value WindowPhases::slice(Value value, ArrayRef<int64_t> offsets,
                          ArrayRef<int64_t> shape) {
  SmallVector<int64_t> ones(shape.size(), 1);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return b.create<SliceOp>(type, value, offsets, ones);
}

Value WindowPhases::pad(Value value) {
  SmallVector<int64_t> shape(shapeOf(value)), low(shape.size(), 0),
      ones(shape.size(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[i + 1] = axis.before;
    shape[i + 1] += axis.before + axis.after;
  }
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return b.create<PadOp>(type, value, low, ones);
}

Value WindowPhases::getSeen(Value padded, Choice chosen) {
  SmallVector<int64_t> offsets{0}, shape{shapeOf(padded).front()};
  for (auto [axis, phase] : llvm::zip_equal(axes, chosen)) {
    offsets.push_back(axis.before + phase->start);
    shape.push_back(axis.count - 1 + phase->reach());
  }
  offsets.push_back(0);
  shape.push_back(shapeOf(padded).back());
  return slice(padded, offsets, shape);
}

void WindowPhases::forEachTap(
    Choice chosen, llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  forEachIndex(llvm::map_to_vector(chosen,
                                   [](const WindowPhase *phase) {
                                     return static_cast<int64_t>(
                                         phase->taps.size());
                                   }),
               body);
}

/// The phases of the axes that are not chosen yet, side by side.
Value WindowPhases::assemble(SmallVectorImpl<const WindowPhase *> &chosen) {
  size_t number = chosen.size();
  if (number == axes.size()) {
    SmallVector<int64_t> shape(shapeOf(sum.getResult()));
    for (auto [i, axis] : llvm::enumerate(axes)) {
      shape[i + 1] = axis.count;
    }
    bool isEmpty = llvm::any_of(
        chosen, [](const WindowPhase *each) { return each->taps.empty(); });
    return isEmpty ? b.constant(sum.getType().clone(shape), 0.0)
                   : buildPhase(chosen, shape);
  }
  auto axis = static_cast<int64_t>(number) + 1;
  SmallVector<Value> parts;
  SmallVector<int64_t> joined;
  for (const WindowPhase &phase : axes[number].phases) {
    chosen.push_back(&phase);
    Value part = assemble(chosen);
    chosen.pop_back();
    SmallVector<int64_t> shape(shapeOf(part));
    joined = shape;
    shape.insert(shape.begin() + axis + 1, 1);
    parts.push_back(b.reshape(part, shape));
  }
  joined[axis] *= static_cast<int64_t>(parts.size());
  Value all =
      parts.size() == 1 ? parts.front() : b.create<ConcatOp>(parts, axis + 1);
  return b.reshape(all, joined);
}

Value WindowPhases::build(ArrayRef<int64_t> first, ArrayRef<int64_t> lengths) {
  for (int64_t i = 0; i < spatial; ++i) {
    axes.push_back(cutIntoPhases(
        sum.getSizes()[i], sum.getStrides()[i], sum.getDilations()[i],
        shapeOf(sum.getOperand())[i + 1], first[i], lengths[i]));
  }
  prepare();
  SmallVector<const WindowPhase *> chosen;
  Value all = assemble(chosen);
  SmallVector<int64_t> none(spatial + 2, 0), shape(shapeOf(sum.getResult()));
  llvm::copy(lengths, shape.begin() + 1);
  return slice(all, none, shape);
}
