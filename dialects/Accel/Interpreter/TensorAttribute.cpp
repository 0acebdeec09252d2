// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way between tensors in the compiler's own memory and attributes.
#include "dialects/Accel/IR/SmallFloat.h"
#include "dialects/Accel/Interpreter/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

/// How an element type lies in the bytes of an attribute, if the dialect has
/// that type.
std::optional<unsigned> getStorageBits(Type type) {
  if (type.isInteger(1) || type.isUnsignedInteger(8)) {
    return 8;
  }
  bool known = type.isF32() || type.isF64() || SmallFloat::get(type) ||
               type.isInteger(32) || type.isInteger(64);
  return known ? std::optional(type.getIntOrFloatBitWidth()) : std::nullopt;
}

template <typename T, typename Out>
void copyElements(ArrayRef<char> bytes, MutableArrayRef<Out> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<Out>(element);
  }
}

/// APFloat takes a NaN of f8E8M0FNU, which has no mantissa, for an infinity.
double toDouble(const llvm::APFloat &number) {
  return number.isNaN() ? std::numeric_limits<double>::quiet_NaN()
                        : number.convertToDouble();
}

/// `Bits` is as wide as a float of the semantics.
template <typename Bits>
void copySmallFloats(ArrayRef<char> bytes, const llvm::fltSemantics &semantics,
                     MutableArrayRef<double> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + sizeof(Bits) * i, sizeof(Bits));
    llvm::APInt integer(8 * sizeof(Bits), bits);
    out[i] = toDouble(llvm::APFloat(semantics, integer));
  }
}

/// Requires: as many bytes as the tensor's elements take.
HostTensor fromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  HostTensor tensor(type);
  Type element = type.getElementType();
  if (element.isF32()) {
    copyElements<float>(bytes, tensor.mutableFloats());
  } else if (element.isF64()) {
    copyElements<double>(bytes, tensor.mutableFloats());
  } else if (auto floatType = dyn_cast<FloatType>(element)) {
    auto *copy = floatType.getWidth() == 8 ? copySmallFloats<uint8_t>
                                           : copySmallFloats<uint16_t>;
    copy(bytes, floatType.getFloatSemantics(), tensor.mutableFloats());
  } else if (element.isInteger(64)) {
    copyElements<int64_t>(bytes, tensor.mutableIntegers());
  } else if (element.isInteger(32)) {
    copyElements<int32_t>(bytes, tensor.mutableIntegers());
  } else {
    copyElements<uint8_t>(bytes, tensor.mutableIntegers());
  }
  return tensor;
}

HostTensor fromSplat(RankedTensorType type, DenseElementsAttr dense) {
  HostTensor tensor(type);
  if (tensor.isFloat()) {
    llvm::fill(tensor.mutableFloats(),
               toDouble(dense.getSplatValue<llvm::APFloat>()));
    return tensor;
  }
  llvm::APInt integer = dense.getSplatValue<llvm::APInt>();
  bool isUnsigned = type.getElementType().isInteger(1) ||
                    type.getElementType().isUnsignedInteger(8);
  llvm::fill(tensor.mutableIntegers(),
             isUnsigned ? integer.getZExtValue() : integer.getSExtValue());
  return tensor;
}

HostTensor fromDense(RankedTensorType type, DenseElementsAttr dense) {
  if (!type.getElementType().isInteger(1)) {
    return fromBytes(type, dense.getRawData());
  }
  // Booleans may be packed there.
  HostTensor tensor(type);
  llvm::copy(dense.getValues<bool>(), tensor.mutableIntegers().begin());
  return tensor;
}

template <typename T> std::vector<T> convertElements(const HostTensor &tensor) {
  return tensor.visit([](auto elements) {
    std::vector<T> converted(elements.size());
    llvm::transform(elements, converted.begin(),
                    [](auto element) { return static_cast<T>(element); });
    return converted;
  });
}

template <typename T> bool allSameBits(const std::vector<T> &elements) {
  auto bytesOf = [](const T &element) {
    return StringRef(reinterpret_cast<const char *>(&element), sizeof(T));
  };
  return llvm::all_of(elements, [&](const T &element) {
    return bytesOf(element) == bytesOf(elements[0]);
  });
}

template <typename T> DenseElementsAttr toDense(const HostTensor &tensor) {
  std::vector<T> elements = convertElements<T>(tensor);
  ArrayRef<T> values(elements);
  return DenseElementsAttr::get(tensor.getType(),
                                !elements.empty() && allSameBits(elements)
                                    ? values.take_front()
                                    : values);
}

template <typename Bits>
DenseElementsAttr toDenseSmallFloats(const HostTensor &tensor) {
  Type element = tensor.getElementType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  std::vector<Bits> bits(tensor.getNumElements());
  llvm::transform(tensor.floats(), bits.begin(), [&](double value) {
    llvm::APFloat converted(roundToElementType(value, element));
    bool losesInfo = false;
    converted.convert(semantics, llvm::APFloat::rmNearestTiesToEven,
                      &losesInfo);
    return static_cast<Bits>(converted.bitcastToAPInt().getZExtValue());
  });
  size_t count = !bits.empty() && allSameBits(bits) ? 1 : bits.size();
  return DenseElementsAttr::getFromRawBuffer(
      tensor.getType(), ArrayRef(reinterpret_cast<const char *>(bits.data()),
                                 sizeof(Bits) * count));
}

DenseElementsAttr toDenseBooleans(const HostTensor &tensor) {
  ArrayRef<int64_t> integers = tensor.integers();
  bool splat = !integers.empty() && llvm::all_of(integers, [&](int64_t value) {
    return value == integers[0];
  });
  llvm::SmallVector<bool> values(splat ? 1 : integers.size());
  for (auto [value, integer] : llvm::zip_first(values, integers)) {
    value = integer != 0;
  }
  return DenseElementsAttr::get(tensor.getType(), ArrayRef<bool>(values));
}

} // namespace

std::optional<HostTensor> HostTensor::fromAttribute(ElementsAttr attribute) {
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type || !fitsHost(type)) {
    return std::nullopt;
  }
  std::optional<unsigned> bits = getStorageBits(type.getElementType());
  if (!bits) {
    return std::nullopt;
  }
  int64_t size = type.getNumElements() * (*bits / 8);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != size) {
      return std::nullopt;
    }
    return fromBytes(type, blob->getData());
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense || !isa<DenseIntOrFPElementsAttr>(dense)) {
    return std::nullopt;
  }
  return dense.isSplat() ? fromSplat(type, dense) : fromDense(type, dense);
}

DenseElementsAttr HostTensor::toAttribute() const {
  Type element = getElementType();
  if (element.isF32()) {
    return toDense<float>(*this);
  }
  if (element.isF64()) {
    return toDense<double>(*this);
  }
  if (isFloat()) {
    return element.getIntOrFloatBitWidth() == 8
               ? toDenseSmallFloats<uint8_t>(*this)
               : toDenseSmallFloats<uint16_t>(*this);
  }
  if (element.isInteger(64)) {
    return toDense<int64_t>(*this);
  }
  if (element.isUnsignedInteger(8)) {
    return toDense<uint8_t>(*this);
  }
  return element.isInteger(32) ? toDense<int32_t>(*this)
                               : toDenseBooleans(*this);
}

} // namespace accel
