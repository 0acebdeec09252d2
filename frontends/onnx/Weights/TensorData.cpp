// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoding of TensorProto: raw bytes as they are, the typed fields of older
// files narrowed element by element.
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Builders.h"
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
  case pb::TensorProto::UINT8:
  case pb::TensorProto::INT8:
    return pack<uint8_t>(tensor.int32_data());
  default: // of 16 bits, as bits
    return pack<uint16_t>(tensor.int32_data());
  }
}

/// Elements of type T as those of int32_t.
template <typename T> std::string widen(StringRef bytes) {
  size_t count = bytes.size() / sizeof(T);
  std::string wide(count * sizeof(int32_t), '\0');
  for (size_t i = 0; i < count; ++i) {
    T stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(T), sizeof(T));
    auto element = static_cast<int32_t>(stored);
    std::memcpy(wide.data() + i * sizeof(element), &element, sizeof(element));
  }
  return wide;
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

Type getValueType(MLIRContext &context, int32_t dataType) {
  return getNarrowRange(dataType) ? Builder(&context).getI32Type()
                                  : getElementType(context, dataType);
}

StringRef getValueTypeNames() {
  return "FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT32, INT64, INT8, UINT8, INT16, "
         "UINT16 or BOOL";
}

std::optional<IntegerRange> getNarrowRange(int32_t dataType) {
  switch (dataType) {
  case pb::TensorProto::INT8:
    return IntegerRange{-0x80, 0x7f};
  case pb::TensorProto::UINT8:
    return IntegerRange{0, 0xff};
  case pb::TensorProto::INT16:
    return IntegerRange{-0x8000, 0x7fff};
  case pb::TensorProto::UINT16:
    return IntegerRange{0, 0xffff};
  default:
    return std::nullopt;
  }
}

uint64_t getElementSize(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

uint64_t getStoredSize(RankedTensorType type, int32_t dataType) {
  std::optional<IntegerRange> narrow = getNarrowRange(dataType);
  uint64_t size = !narrow ? getElementSize(type.getElementType())
                  : narrow->last - narrow->first == 0xff ? 1
                                                         : 2;
  return type.getNumElements() * size;
}

std::string widenStored(std::string bytes, int32_t dataType) {
  switch (dataType) {
  case pb::TensorProto::INT8:
    return widen<int8_t>(bytes);
  case pb::TensorProto::UINT8:
    return widen<uint8_t>(bytes);
  case pb::TensorProto::INT16:
    return widen<int16_t>(bytes);
  case pb::TensorProto::UINT16:
    return widen<uint16_t>(bytes);
  default:
    return bytes;
  }
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
  Type element = getValueType(context, tensor.data_type());
  if (!element) {
    return llvm::createStringError("expected elements of type " +
                                   getValueTypeNames() + ", got " +
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
  const uint64_t expected = getStoredSize(type, tensor.data_type());
  uint64_t got = 0;
  std::string contents;
  if (tensor.has_raw_data()) {
    got = tensor.raw_data().size();
    if (steal && got == expected) {
      contents = std::move(*tensor.mutable_raw_data());
    } else {
      contents = tensor.raw_data();
    }
  } else {
    contents = packTypedField(tensor);
    got = contents.size();
  }
  if (got != expected) {
    return llvm::createStringError("expected " + llvm::Twine(expected) +
                                   " bytes of data for its shape, got " +
                                   llvm::Twine(got));
  }
  contents = widenStored(std::move(contents), tensor.data_type());
  TensorBytes bytes;
  bytes.length = contents.size();
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
