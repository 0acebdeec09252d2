// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for constants and iotas.
#include "passes/Differentiate/SampleNumbers.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel {

namespace {

/// Whether elements of `constant` that differ in their sample alone are equal.
template <typename Number>
bool areSamplesEqual(DenseElementsAttr constant, SampleAxis axis,
                     int64_t batch) {
  int64_t block = getBlockSize(constant.getType().getShape(), axis);
  auto values = constant.getValues<Number>();
  for (int64_t i = 0; i < constant.getNumElements(); ++i) {
    int64_t sample = i / block % batch;
    if (sample > 0 && !(values[i] == values[i - sample * block])) {
      return false;
    }
  }
  return true;
}

/// Elements of `value`, whose samples are along `axis`.
struct Part {
  Value value;
  SampleAxis axis;
};

/// Walks from elements to those that they are computed from.
class NumberSearch {
public:
  explicit NumberSearch(int64_t batch) : batch(batch) {}

  bool run(Part start) {
    add(start);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (tellsApart(parts[i])) {
        return true;
      }
    }
    return false;
  }

private:
  /// Whether the part's own elements do; else adds those before it.
  bool tellsApart(Part part) {
    Operation *op = part.value.getDefiningOp();
    if (auto iota = dyn_cast_if_present<IotaOp>(op)) {
      return static_cast<int64_t>(iota.getDimension()) == part.axis.dimension;
    }
    if (auto constant = dyn_cast_if_present<ConstantOp>(op)) {
      return isNumbered(constant, part.axis);
    }
    if (op) {
      addOperands(op, part.axis);
    }
    return false;
  }

  bool isNumbered(ConstantOp constant, SampleAxis axis) const {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || elements.isSplat()) {
      return false;
    }
    return isa<FloatType>(elements.getElementType())
               ? !areSamplesEqual<APFloat>(elements, axis, batch)
               : !areSamplesEqual<APInt>(elements, axis, batch);
  }

  void addOperands(Operation *op, SampleAxis axis) {
    auto fusion = dyn_cast<FusionOpInterface>(op);
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      ArrayRef<int64_t> dimensions = broadcast.getDimensions();
      const int64_t *found = llvm::find(dimensions, axis.dimension);
      int64_t own = found - dimensions.begin();
      if (found != dimensions.end() &&
          shapeOf(broadcast.getOperand())[own] > 1) {
        add({broadcast.getOperand(), {own, axis.inner}});
      }
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      int64_t block = getBlockSize(shapeOf(reshape), axis);
      if (std::optional<SampleAxis> own =
              findSampleAxis(shapeOf(reshape.getOperand()), block, batch)) {
        add({reshape.getOperand(), *own});
      }
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      int64_t own = transpose.getPermutation()[axis.dimension];
      add({transpose.getOperand(), {own, axis.inner}});
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      if (axis.dimension < std::ssize(shapeOf(gather.getIndices()))) {
        add({gather.getIndices(), axis});
      }
    } else if (fusion && fusion.getFusionKind() == FusionKind::Elementwise) {
      for (Value operand : op->getOperands()) {
        add({operand, axis});
      }
    }
  }

  void add(Part part) {
    auto place = std::tuple(part.value, part.axis.dimension, part.axis.inner);
    if (seen.insert(place).second) {
      parts.push_back(part);
    }
  }

  int64_t batch;
  llvm::SmallVector<Part> parts;
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t>> seen;
};

} // namespace

bool tellsSamplesApart(Value value, SampleAxis axis, int64_t batch) {
  return NumberSearch(batch).run({value, axis});
}

} // namespace accel
