// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything is serialized as it is but for what goes somewhere else.
#include "frontends/onnx/Export/MakeExportTemplate.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Map-free messages serialize the same everywhere; asking for it makes that a
/// promise.
std::string serialize(const google::protobuf::MessageLite &message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

void clearData(pb::TensorProto &tensor) {
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

ExportTensor makeTensor(const pb::TensorProto &tensor,
                        const RecoveredParameter &parameter) {
  pb::TensorProto header = tensor;
  clearData(header);
  return {serialize(header),   tensor.name(),
          parameter.parameter, parameter.transposed,
          tensor.data_type(),  {tensor.dims().begin(), tensor.dims().end()}};
}

} // namespace

FailureOr<ExportTemplate> makeExportTemplate(const pb::ModelProto &model,
                                             const Recovery &recovery,
                                             ConstantReader readConstant) {
  ExportTemplate result;
  pb::ModelProto shell = model;
  pb::GraphProto graph;
  graph.Swap(shell.mutable_graph());
  shell.clear_graph();
  google::protobuf::RepeatedPtrField<pb::TensorProto> constants;
  for (pb::TensorProto &tensor : *graph.mutable_initializer()) {
    if (const RecoveredParameter *parameter = recovery.find(tensor.name())) {
      result.tensors.push_back(makeTensor(tensor, *parameter));
      continue;
    }
    if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
      FailureOr<std::string> data = readConstant(tensor);
      if (failed(data)) {
        return failure();
      }
      clearData(tensor);
      tensor.set_raw_data(std::move(*data));
    }
    *constants.Add() = std::move(tensor);
  }
  *graph.mutable_initializer() = std::move(constants);
  result.model = serialize(shell);
  result.graph = serialize(graph);
  return result;
}

} // namespace accel::onnx
