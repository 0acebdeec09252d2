// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files are read as protobuf writes them; nothing is converted.
#include "test/onnx/Case.h"

#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;

namespace accel::test {
namespace {

namespace fs = std::filesystem;
namespace pb = onnx::pb;

llvm::Expected<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError("cannot read " + path);
  }
  return (*buffer)->getBuffer().str();
}

class CaseReader {
public:
  explicit CaseReader(Case &result) : result(result) {}

  llvm::Error read() {
    llvm::Expected<std::string> bytes = readFile(result.path);
    if (!bytes) {
      return bytes.takeError();
    }
    if (!result.model.ParseFromString(*bytes)) {
      return llvm::createStringError("no model: " + result.path);
    }
    for (int i = 0;; ++i) {
      fs::path folder = fs::path(result.path).parent_path() /
                        ("test_data_set_" + std::to_string(i));
      if (!fs::exists(folder)) {
        return llvm::Error::success();
      }
      DataSet &data = result.data.emplace_back();
      if (llvm::Error error = readAll(folder, "input_", data.inputs)) {
        return error;
      }
      if (llvm::Error error = readAll(folder, "output_", data.outputs)) {
        return error;
      }
    }
  }

private:
  /// Inputs of the graph that have no value of their own, or its outputs.
  std::vector<const pb::ValueInfoProto *> declared(bool isInput) const {
    const pb::GraphProto &graph = result.model.graph();
    std::vector<const pb::ValueInfoProto *> values;
    for (const pb::ValueInfoProto &value :
         isInput ? graph.input() : graph.output()) {
      bool isConstant =
          isInput &&
          std::any_of(graph.initializer().begin(), graph.initializer().end(),
                      [&](const pb::TensorProto &tensor) {
                        return tensor.name() == value.name();
                      });
      if (!isConstant) {
        values.push_back(&value);
      }
    }
    return values;
  }

  llvm::Error readAll(const fs::path &folder, const std::string &prefix,
                      std::vector<CaseTensor> &tensors) {
    for (const pb::ValueInfoProto *value : declared(prefix == "input_")) {
      fs::path path =
          folder / (prefix + std::to_string(tensors.size()) + ".pb");
      if (!fs::exists(path)) {
        break;
      }
      if (!value->type().has_tensor_type()) {
        result.otherKind = value->type().has_sequence_type() ? "a sequence"
                           : value->type().has_optional_type()
                               ? "an optional value"
                               : "no tensor";
        return llvm::Error::success();
      }
      llvm::Expected<CaseTensor> tensor = readTensor(path, value->name());
      if (!tensor) {
        return tensor.takeError();
      }
      tensors.push_back(std::move(*tensor));
    }
    return llvm::Error::success();
  }

  llvm::Expected<CaseTensor> readTensor(const fs::path &path,
                                        const std::string &name) {
    llvm::Expected<std::string> bytes = readFile(path.string());
    pb::TensorProto proto;
    if (!bytes) {
      return bytes.takeError();
    }
    if (!proto.ParseFromString(*bytes)) {
      return llvm::createStringError("no tensor: " + path.string());
    }
    // What the importer reads as integers of 32 bits comes out as such.
    int32_t dataType = onnx::getNarrowRange(proto.data_type())
                           ? pb::TensorProto::INT32
                           : proto.data_type();
    CaseTensor tensor{name, dataType, {}, {}};
    tensor.shape.assign(proto.dims().begin(), proto.dims().end());
    if (getElementName(tensor.dataType).empty()) {
      result.otherKind = onnx::getDataTypeName(tensor.dataType);
      return tensor;
    }
    auto type = onnx::getTensorType(context, proto);
    if (!type) {
      return type.takeError();
    }
    auto contents = onnx::getInlineBytes(proto, *type, /*steal=*/false);
    if (!contents) {
      return contents.takeError();
    }
    tensor.bytes =
        contents->contents->substr(contents->offset, contents->length);
    return tensor;
  }

  Case &result;
  MLIRContext context;
};

} // namespace

onnx::BoundTensor bindTensor(const CaseTensor &tensor) {
  return {tensor.name, getElementName(tensor.dataType).str(), tensor.shape,
          tensor.bytes};
}

llvm::StringRef getElementName(int32_t dataType) {
  switch (dataType) {
  case pb::TensorProto::FLOAT:
    return "f32";
  case pb::TensorProto::DOUBLE:
    return "f64";
  case pb::TensorProto::INT32:
    return "i32";
  case pb::TensorProto::INT64:
    return "i64";
  case pb::TensorProto::BOOL:
    return "bool";
  case pb::TensorProto::FLOAT16:
    return "f16";
  case pb::TensorProto::BFLOAT16:
    return "bf16";
  default:
    return "";
  }
}

std::string Case::getOperator() const {
  return model.graph().node_size() == 1 ? model.graph().node(0).op_type() : "";
}

std::map<std::string, int64_t> getDimensions(const Case &subject) {
  std::map<std::string, int64_t> sizes;
  for (const CaseTensor &tensor : subject.data.front().inputs) {
    for (const pb::ValueInfoProto &value : subject.model.graph().input()) {
      const auto &dims = value.type().tensor_type().shape().dim();
      for (int i = 0; value.name() == tensor.name && i < dims.size(); ++i) {
        if (!dims[i].dim_param().empty()) {
          sizes[dims[i].dim_param()] = tensor.shape[i];
        }
      }
    }
  }
  return sizes;
}

std::vector<std::string> listCases(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &suite : fs::directory_iterator(folder)) {
    for (const auto &entry : fs::directory_iterator(suite)) {
      if (fs::exists(entry.path() / "model.onnx")) {
        names.push_back(suite.path().filename().string() + "/" +
                        entry.path().filename().string());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

llvm::Expected<Case> readCase(const std::string &folder,
                              const std::string &name) {
  Case result;
  result.name = name;
  result.path = folder + "/" + name + "/model.onnx";
  // What it expects are the numbers that NumPy drew.
  bool isRandom =
      llvm::StringRef(name).starts_with("node/test_bernoulli") ||
      (llvm::StringRef(name).starts_with("node/test_training_dropout") &&
       !llvm::StringRef(name).contains("zero_ratio"));
  if (isRandom) {
    result.otherKind = "random numbers";
  }
  if (llvm::Error error = CaseReader(result).read()) {
    return error;
  }
  return result;
}

} // namespace accel::test
