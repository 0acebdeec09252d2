// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoding of TensorProto: raw bytes as they are, the typed fields of older
// files narrowed element by element.
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Writes `values` as elements of type T.
template <typename T, typename Values> std::string pack(const Values &values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (int i = 0; i < values.size(); ++i) {
    T element = static_cast<T>(values.Get(i));
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

std::string packTypedField(const pb::TensorProto &tensor) {
  switch (tensor.data_type()) {
  case pb::TensorProto::FLOAT:
    return pack<float>(tensor.float_data());
  case pb::TensorProto::DOUBLE:
    return pack<double>(tensor.double_data());
  case pb::TensorProto::INT64:
    return pack<int64_t>(tensor.int64_data());
  case pb::TensorProto::INT32:
    return pack<int32_t>(tensor.int32_data());
  case pb::TensorProto::BOOL:
    return pack<uint8_t>(tensor.int32_data());
  default: // the 16-bit floats, as bits
    return pack<uint16_t>(tensor.int32_data());
  }
}

} // namespace

Type getElementType(MLIRContext &context, int32_t dataType) {
  Builder builder(&context);
  switch (dataType) {
  case pb::TensorProto::FLOAT:
    return builder.getF32Type();
  case pb::TensorProto::DOUBLE:
    return builder.getF64Type();
  case pb::TensorProto::FLOAT16:
    return builder.getF16Type();
  case pb::TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case pb::TensorProto::INT64:
    return builder.getI64Type();
  case pb::TensorProto::INT32:
    return builder.getI32Type();
  case pb::TensorProto::BOOL:
    return builder.getI1Type();
  default:
    return {};
  }
}

uint64_t getElementSize(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

std::string getDataTypeName(int32_t dataType) {
  std::string name = pb::TensorProto_DataType_IsValid(dataType)
                         ? pb::TensorProto_DataType_Name(
                               static_cast<pb::TensorProto_DataType>(dataType))
                         : std::string();
  return name.empty() ? "data type " + std::to_string(dataType) : name;
}

std::string describeShape(const pb::TensorProto &tensor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(tensor.dims(), stream);
  stream << ']';
  return text;
}

llvm::Expected<RankedTensorType> getTensorType(MLIRContext &context,
                                               const pb::TensorProto &tensor) {
  Type element = getElementType(context, tensor.data_type());
  if (!element) {
    return llvm::createStringError(
        "expected elements of type FLOAT, DOUBLE, FLOAT16, "
        "BFLOAT16, INT32, INT64 or BOOL, got " +
        getDataTypeName(tensor.data_type()));
  }
  // Sizes are multiplied in 64 bits; a tensor beyond 2^60 bytes is a lie
  // wherever it stands.
  constexpr uint64_t limit = uint64_t(1) << 60;
  uint64_t size = getElementSize(element);
  for (int64_t dim : tensor.dims()) {
    if (dim < 0 || (dim > 0 && size > limit / static_cast<uint64_t>(dim))) {
      return llvm::createStringError(
          "expected dimensions of a tensor that fits memory, got one of " +
          llvm::Twine(dim));
    }
    size *= std::max<int64_t>(dim, 1);
  }
  return RankedTensorType::get(
      SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end()),
      element);
}

llvm::Expected<TensorBytes> getInlineBytes(pb::TensorProto &tensor,
                                           RankedTensorType type, bool steal) {
  TensorBytes bytes;
  bytes.length = type.getNumElements() * getElementSize(type.getElementType());
  const bool raw = tensor.has_raw_data();
  uint64_t got = 0;
  std::string contents;
  if (raw) {
    got = tensor.raw_data().size();
    if (steal && got == bytes.length) {
      contents = std::move(*tensor.mutable_raw_data());
    } else {
      contents = tensor.raw_data();
    }
  } else {
    contents = packTypedField(tensor);
    got = contents.size();
  }
  if (got != bytes.length) {
    return llvm::createStringError("expected " + llvm::Twine(bytes.length) +
                                   " bytes of data for its shape, got " +
                                   llvm::Twine(got));
  }
  if (steal) {
    tensor.clear_raw_data();
    tensor.clear_float_data();
    tensor.clear_double_data();
    tensor.clear_int32_data();
    tensor.clear_int64_data();
  }
  bytes.contents = std::make_shared<const std::string>(std::move(contents));
  return bytes;
}

DenseElementsAttr getElements(RankedTensorType type, StringRef bytes) {
  const uint64_t size = getElementSize(type.getElementType());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values;
    values.reserve(bytes.size());
    for (char byte : bytes) {
      values.push_back(byte != 0);
    }
    bool splat = !values.empty() && llvm::all_equal(values);
    return DenseElementsAttr::get(type,
                                  splat ? ArrayRef<bool>(values).take_front()
                                        : ArrayRef<bool>(values));
  }
  bool splat =
      !bytes.empty() && bytes.drop_front(size) == bytes.drop_back(size);
  StringRef used = splat ? bytes.take_front(size) : bytes;
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(used.data(), used.size()));
}

} // namespace accel::onnx
