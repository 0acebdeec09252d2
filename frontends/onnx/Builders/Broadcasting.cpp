// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A size of 1 adapts to any other, 0 included.
#include "frontends/onnx/Builders/Broadcasting.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {

FailureOr<SmallVector<int64_t>>
getCommonShape(const NodeConversion &conversion,
               ArrayRef<ArrayRef<int64_t>> shapes) {
  SmallVector<int64_t> common;
  for (ArrayRef<int64_t> shape : shapes) {
    if (shape.size() > common.size()) {
      common.insert(common.begin(), shape.size() - common.size(), 1);
    }
    size_t offset = common.size() - shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t &other = common[offset + i];
      if (other == 1) {
        other = size;
      } else if (size != 1 && size != other) {
        return conversion.error()
               << "expected shapes that broadcast together, got sizes " << other
               << " and " << size << " in dimension " << offset + i;
      }
    }
  }
  return common;
}

Value broadcastTo(const NodeConversion &conversion, Value value,
                  ArrayRef<int64_t> shape) {
  RankedTensorType type = NodeConversion::typeOf(value);
  if (type.getShape() == shape) {
    return value;
  }
  // A scalar or row broadcasts from its own dimensions; leading units would
  // only hide that.
  ArrayRef<int64_t> own = type.getShape();
  size_t units =
      llvm::find_if(own, [](int64_t size) { return size != 1; }) - own.begin();
  value = conversion.reshape(value, own.drop_front(units));
  SmallVector<int64_t> dimensions;
  for (size_t i = units; i < own.size(); ++i) {
    dimensions.push_back(static_cast<int64_t>(shape.size() - own.size() + i));
  }
  return BroadcastOp::create(conversion.builder, conversion.loc,
                             type.clone(shape), value, dimensions);
}

FailureOr<SmallVector<Value>>
broadcastTogether(const NodeConversion &conversion, ArrayRef<Value> values) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value value : values) {
    shapes.push_back(NodeConversion::typeOf(value).getShape());
  }
  FailureOr<SmallVector<int64_t>> common = getCommonShape(conversion, shapes);
  if (failed(common)) {
    return failure();
  }
  return llvm::map_to_vector(values, [&](Value value) {
    return broadcastTo(conversion, value, *common);
  });
}

} // namespace accel::onnx
