// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine views of tensors and what follows from a chain of them.
#include "passes/Analysis/TensorAccess.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace accel;

int64_t accel::getNumElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

bool accel::isWidening(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  return cast && SmallFloat::get(elementTypeOf(cast.getOperand())) &&
         elementTypeOf(cast.getResult()).isF32();
}

bool accel::isViewOp(Operation *op) {
  return isa_and_nonnull<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, SplitOp,
                         WindowsOp>(op) ||
         isWidening(op);
}

/// Whether every element is where it was.
static bool keepsPlaces(Operation *op) { return isa<ReshapeOp, CastOp>(op); }

/// Merges neighbours that behave as one dimension and drops those of size 1.
static AffineView merged(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                         int64_t offset) {
  AffineView view;
  view.offset = offset;
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    if (size == 1) {
      continue;
    }
    if (!view.sizes.empty() && view.strides.back() == stride * size) {
      view.sizes.back() *= size;
      view.strides.back() = stride;
    } else {
      view.sizes.push_back(size);
      view.strides.push_back(stride);
    }
  }
  return view;
}

static AffineView viewOfSplit(SplitOp op, Value value) {
  SmallVector<int64_t> strides = computeStrides(shapeOf(op.getOperand()));
  int64_t before = 0;
  for (Value result : op.getResults()) {
    if (result == value) {
      break;
    }
    before += shapeOf(result)[op.getAxis()];
  }
  return merged(shapeOf(value), strides, before * strides[op.getAxis()]);
}

/// Windows may overlap, which is no matter for who reads them.
static AffineView viewOfWindows(WindowsOp op) {
  SmallVector<int64_t> strides = computeStrides(shapeOf(op.getOperand()));
  for (auto [axis, dilation] : llvm::zip(op.getAxes(), op.getDilations())) {
    strides.push_back(strides[axis] * dilation);
  }
  for (auto [axis, stride] : llvm::zip(op.getAxes(), op.getStrides())) {
    strides[axis] *= stride;
  }
  return merged(shapeOf(op.getResult()), strides, 0);
}

AffineView accel::getAffineView(Value value) {
  Operation *op = value.getDefiningOp();
  ArrayRef<int64_t> sizes = shapeOf(value);
  return llvm::TypeSwitch<Operation *, AffineView>(op)
      .Case<ReshapeOp, CastOp>(
          [&](auto) { return merged({getNumElements(value)}, {1}, 0); })
      .Case([&](TransposeOp transpose) {
        SmallVector<int64_t> source =
            computeStrides(shapeOf(transpose.getOperand()));
        SmallVector<int64_t> strides;
        for (int64_t from : transpose.getPermutation()) {
          strides.push_back(source[from]);
        }
        return merged(sizes, strides, 0);
      })
      .Case([&](BroadcastOp broadcast) {
        ArrayRef<int64_t> from = shapeOf(broadcast.getOperand());
        SmallVector<int64_t> source = computeStrides(from);
        SmallVector<int64_t> strides(sizes.size(), 0);
        for (auto [i, to] : llvm::enumerate(broadcast.getDimensions())) {
          strides[to] = from[i] == 1 ? 0 : source[i];
        }
        return merged(sizes, strides, 0);
      })
      .Case([&](SliceOp slice) {
        SmallVector<int64_t> source =
            computeStrides(shapeOf(slice.getOperand()));
        SmallVector<int64_t> strides;
        int64_t offset = 0;
        for (auto [i, stride] : llvm::enumerate(slice.getStrides())) {
          strides.push_back(stride * source[i]);
          offset += slice.getOffsets()[i] * source[i];
        }
        return merged(sizes, strides, offset);
      })
      .Case([&](WindowsOp windows) { return viewOfWindows(windows); })
      .Case([&](SplitOp split) { return viewOfSplit(split, value); });
}

Value accel::getViewRoot(Value value, IsRoot isRoot) {
  while (isViewOp(value.getDefiningOp()) && !isRoot(value)) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return value;
}

SmallVector<AffineView> accel::getViewChain(Value value, Value root) {
  SmallVector<AffineView> chain;
  while (value != root) {
    Operation *op = value.getDefiningOp();
    assert(isViewOp(op) && "the root is not above the value");
    if (!keepsPlaces(op)) {
      chain.push_back(getAffineView(value));
    }
    value = op->getOperand(0);
  }
  return chain;
}

int64_t accel::getRunLength(Value value, Value root, int64_t run) {
  int64_t step = 1;
  bool aligned = true; // the first element of every run has a row-major index
                       // that is a multiple of the run
  for (const AffineView &view : getViewChain(value, root)) {
    if (step == 0 || view.sizes.empty()) {
      step = view.sizes.empty() ? 0 : step;
      continue;
    }
    if (view.sizes.size() > 1) {
      run = aligned ? std::gcd(run, view.sizes.back()) : 1;
    }
    step = view.strides.back();
    if (run == 1 || step > 1) {
      return 1;
    }
    aligned = aligned && view.offset % run == 0;
    for (int64_t stride : ArrayRef(view.strides).drop_back()) {
      aligned = aligned && stride % run == 0;
    }
  }
  return run;
}

int64_t accel::getRunStride(Value value, Value root) {
  for (const AffineView &view : getViewChain(value, root)) {
    if (view.sizes.empty() || view.strides.back() == 0) {
      return 0;
    }
  }
  return 1;
}

AccessRelation accel::getAccessRelation(Value value, Value root) {
  AccessRelation relation{AccessKind::Identity, 0};
  for (const AffineView &view : getViewChain(value, root)) {
    if (view.offset != 0) {
      return {};
    }
    if (view.isContiguous()) {
      continue;
    }
    bool repeatsRows =
        view.sizes.size() == 2 && view.strides[0] == 1 && view.strides[1] == 0;
    bool repeatsOne = view.sizes.size() == 1 && view.strides[0] == 0;
    if (relation.kind == AccessKind::RowBroadcast ||
        !(repeatsRows || repeatsOne)) {
      return {};
    }
    relation = {AccessKind::RowBroadcast, view.sizes.back()};
  }
  // A part of the root with the same order is not all of it.
  int64_t columns =
      relation.kind == AccessKind::RowBroadcast ? relation.columns : 1;
  return getNumElements(value) == getNumElements(root) * columns
             ? relation
             : AccessRelation{};
}

bool accel::isContiguousPart(Value value, Value root, int64_t &offset) {
  offset = 0;
  for (const AffineView &view : getViewChain(value, root)) {
    if (!view.isContiguous()) {
      return false;
    }
    offset += view.offset;
  }
  return true;
}

/// Follows `strided`, a view of `view`, into the source of `view`. A stride
/// must move along one dimension of `view`, and no sum of steps may leave it.
static bool compose(const AffineView &view, ArrayRef<int64_t> sizes,
                    StridedView &strided) {
  SmallVector<int64_t> weights = computeStrides(view.sizes);
  SmallVector<int64_t> farthest;
  int64_t rest = strided.offset;
  int64_t offset = view.offset;
  for (auto [weight, stride] : llvm::zip(weights, view.strides)) {
    farthest.push_back(rest / weight);
    offset += rest / weight * stride;
    rest %= weight;
  }
  for (auto [size, stride] : llvm::zip(sizes, strided.strides)) {
    if (size == 1 || stride == 0) {
      stride = 0;
      continue;
    }
    const auto *dimension = llvm::find_if(
        weights, [&](int64_t weight) { return weight <= stride; });
    if (dimension == weights.end() || stride % *dimension != 0) {
      return false;
    }
    size_t i = dimension - weights.begin();
    int64_t steps = stride / *dimension;
    farthest[i] += (size - 1) * steps;
    stride = steps * view.strides[i];
  }
  strided.offset = offset;
  return llvm::all_of(llvm::zip(farthest, view.sizes), [](auto pair) {
    return std::get<0>(pair) < std::get<1>(pair);
  });
}

std::optional<StridedView> accel::getStridedView(Value value, Value root) {
  StridedView strided{0, computeStrides(shapeOf(value))};
  for (const AffineView &view : getViewChain(value, root)) {
    if (!compose(view, shapeOf(value), strided)) {
      return std::nullopt;
    }
  }
  return strided;
}

bool accel::keepsLastDimension(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  if (!transpose) {
    return false;
  }
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  return permutation.back() == static_cast<int64_t>(permutation.size()) - 1;
}

bool accel::multipliesPairs(Operation *product) {
  return isa<BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(
      elementTypeOf(product->getOperand(0)));
}

bool accel::liesInRows(Value value, Value root) {
  std::optional<StridedView> view = getStridedView(value, root);
  return view && (view->strides.back() == 1 || shapeOf(value).back() == 1);
}

int64_t accel::getSummedElements(MatmulOp product) {
  ArrayRef<int64_t> matrix = shapeOf(product.getLhs()).take_back(2);
  return matrix[product.getTransposeLhs() ? 0 : 1];
}
