// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the fields of data are used, and which one the type asks for.
#include "frontends/onnx/Checks/TensorCheck.h"

#include "frontends/onnx/Weights/TensorData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace accel::onnx {
namespace {

/// The field of a type's elements where they are not raw bytes.
llvm::StringRef getTypedField(int32_t dataType) {
  switch (dataType) {
  case pb::TensorProto::FLOAT:
  case pb::TensorProto::COMPLEX64:
    return "float_data";
  case pb::TensorProto::DOUBLE:
  case pb::TensorProto::COMPLEX128:
    return "double_data";
  case pb::TensorProto::INT64:
    return "int64_data";
  case pb::TensorProto::UINT32:
  case pb::TensorProto::UINT64:
    return "uint64_data";
  case pb::TensorProto::STRING:
    return "string_data";
  default: // what is narrower than 32 bits, and INT32
    return "int32_data";
  }
}

llvm::SmallVector<llvm::StringRef>
getUsedFields(const pb::TensorProto &tensor) {
  llvm::SmallVector<llvm::StringRef> fields;
  auto add = [&](bool isUsed, llvm::StringRef name) {
    if (isUsed) {
      fields.push_back(name);
    }
  };
  add(tensor.float_data_size() > 0, "float_data");
  add(tensor.int32_data_size() > 0, "int32_data");
  add(tensor.string_data_size() > 0, "string_data");
  add(tensor.int64_data_size() > 0, "int64_data");
  add(!tensor.raw_data().empty(), "raw_data");
  add(tensor.double_data_size() > 0, "double_data");
  add(tensor.uint64_data_size() > 0, "uint64_data");
  return fields;
}

bool hasLocation(const pb::TensorProto &tensor) {
  return llvm::any_of(tensor.external_data(),
                      [](const pb::StringStringEntryProto &entry) {
                        return entry.key() == "location";
                      });
}

} // namespace

std::optional<std::string> findFault(const pb::TensorProto &tensor) {
  if (!pb::TensorProto_DataType_IsValid(tensor.data_type()) ||
      tensor.data_type() == pb::TensorProto::UNDEFINED) {
    return "expected a data type, got " + getDataTypeName(tensor.data_type());
  }
  for (int64_t size : tensor.dims()) {
    if (size < 0) {
      return "expected dimensions of 0 or more, got " + std::to_string(size);
    }
  }
  llvm::SmallVector<llvm::StringRef> fields = getUsedFields(tensor);
  std::string used = llvm::join(fields, " and ");
  if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
    if (!fields.empty()) {
      return "expected its data in another file only, got " + used + " too";
    }
    return hasLocation(tensor)
               ? std::optional<std::string>()
               : "expected the location of its external data, got none";
  }
  bool isEmpty = llvm::is_contained(tensor.dims(), 0);
  if (isEmpty && !fields.empty()) {
    return "expected no data of a tensor without elements, got " + used;
  }
  if (!isEmpty && fields.size() != 1) {
    return "expected its data in one field, got " +
           (fields.empty() ? "none" : used);
  }
  llvm::StringRef typed = getTypedField(tensor.data_type());
  bool isRaw =
      used == "raw_data" && tensor.data_type() != pb::TensorProto::STRING;
  if (!isEmpty && !isRaw && used != typed) {
    return "expected elements of type " + getDataTypeName(tensor.data_type()) +
           " in " + typed.str() + ", got them in " + used;
  }
  return std::nullopt;
}

} // namespace accel::onnx
