// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in the compiler's own memory: storage and element types.
#include "dialects/Accel/Interpreter/HostTensor.h"

#include "dialects/Accel/IR/SmallFloat.h"

#include <cassert>
#include <cmath>

using namespace mlir;

namespace accel {

bool fitsHost(RankedTensorType type, int64_t maxElements) {
  if (!type.hasStaticShape()) {
    return false;
  }
  if (llvm::is_contained(type.getShape(), 0)) {
    return true;
  }
  for (int64_t size : type.getShape()) {
    maxElements /= size;
  }
  return maxElements > 0;
}

HostTensor::HostTensor(RankedTensorType type) : type(type) {
  assert(type.hasStaticShape() && "a host tensor has a static shape");
  if (isFloat()) {
    elements = std::make_shared<std::vector<double>>(type.getNumElements());
  } else {
    elements = std::make_shared<std::vector<int64_t>>(type.getNumElements());
  }
}

HostTensor::HostTensor(RankedTensorType type, std::vector<double> elements)
    : type(type),
      elements(std::make_shared<std::vector<double>>(std::move(elements))) {
  assert(isFloat() &&
         static_cast<int64_t>(floats().size()) == type.getNumElements() &&
         "elements do not fit the type");
}

HostTensor::HostTensor(RankedTensorType type, std::vector<int64_t> elements)
    : type(type),
      elements(std::make_shared<std::vector<int64_t>>(std::move(elements))) {
  assert(!isFloat() &&
         static_cast<int64_t>(integers().size()) == type.getNumElements() &&
         "elements do not fit the type");
}

HostTensor HostTensor::splat(RankedTensorType type, double value) {
  HostTensor tensor(type);
  if (tensor.isFloat()) {
    llvm::fill(tensor.mutableFloats(), value);
  } else {
    llvm::fill(
        tensor.mutableIntegers(),
        wrapToElementType(static_cast<int64_t>(value), type.getElementType()));
  }
  return tensor;
}

MutableArrayRef<double> HostTensor::mutableFloats() {
  auto &storage = std::get<Storage<double>>(elements);
  if (storage.use_count() > 1) {
    storage = std::make_shared<std::vector<double>>(*storage);
  }
  return *storage;
}

MutableArrayRef<int64_t> HostTensor::mutableIntegers() {
  auto &storage = std::get<Storage<int64_t>>(elements);
  if (storage.use_count() > 1) {
    storage = std::make_shared<std::vector<int64_t>>(*storage);
  }
  return *storage;
}

double HostTensor::getAsDouble(int64_t index) const {
  return visit(
      [&](auto elements) { return static_cast<double>(elements[index]); });
}

HostTensor HostTensor::withType(RankedTensorType newType) const {
  HostTensor tensor = *this;
  tensor.type = newType;
  assert(tensor.isFloat() == isFloat() &&
         newType.getNumElements() == getNumElements() &&
         "another kind or number of elements");
  return tensor;
}

HostTensor HostTensor::rounded() const {
  if (!isFloat() || getElementType().isF64()) {
    return *this;
  }
  HostTensor tensor = *this;
  for (double &element : tensor.mutableFloats()) {
    element = roundToElementType(element, getElementType());
  }
  return tensor;
}

double roundToElementType(double value, Type elementType) {
  if (elementType.isF64()) {
    return value;
  }
  if (elementType.isF32()) {
    return static_cast<float>(value);
  }
  const SmallFloat *format = SmallFloat::get(elementType);
  // An infinity that lies in a tensor, which no cast has made, stays one.
  if (std::isinf(value) && format->hasInfinity) {
    return value;
  }
  return format->round(value, format->alwaysSaturates());
}

int64_t wrapToElementType(int64_t value, Type elementType) {
  if (elementType.isInteger(1)) {
    return value & 1;
  }
  if (elementType.isUnsignedInteger(8)) {
    return value & 0xFF;
  }
  return elementType.isInteger(32) ? static_cast<int32_t>(value) : value;
}

llvm::SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * shape[i + 1];
  }
  return strides;
}

} // namespace accel
