// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for constants, indices and parameters.
#include "passes/Differentiate/SampleNumbers.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"

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

/// Walks from elements to those that they are computed from.
class NumberSearch {
public:
  explicit NumberSearch(int64_t batch) : batch(batch) {}

  bool run(Value value, SampleAxis axis) {
    add(value, axis);
    for (size_t i = 0; i < places.size(); ++i) {
      auto [next, dimension, inner] = places[i];
      if (next.getDefiningOp() && visit(next, {dimension, inner})) {
        return true;
      }
    }
    return false;
  }

private:
  /// Whether elements that nothing is computed for are other ones for each
  /// sample: indices, rows of a parameter or of a constant. Else adds what is
  /// read.
  bool visit(Value value, SampleAxis axis) {
    Operation *op = value.getDefiningOp();
    if (auto iota = dyn_cast<IotaOp>(op)) {
      return static_cast<int64_t>(iota.getDimension()) == axis.dimension;
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      return isNumbered(constant, axis);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (auto own = traceSampleAxis(operand, axis, value, batch)) {
        add(operand.get(), *own);
      }
    }
    return isa<ReadOp>(op);
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

  void add(Value value, SampleAxis axis) {
    places.insert({value, axis.dimension, axis.inner});
  }

  int64_t batch;
  llvm::SetVector<std::tuple<Value, int64_t, int64_t>> places;
};

} // namespace

bool tellsSamplesApart(Value value, SampleAxis axis, int64_t batch) {
  return NumberSearch(batch).run(value, axis);
}

} // namespace accel
