// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes go in front of the others: what they make is read there.
#include "frontends/onnx/Model/GraphAdditions.h"

#include <algorithm>

namespace accel::onnx {
namespace {

pb::AttributeProto &addTyped(pb::NodeProto &node, llvm::StringRef name,
                             pb::AttributeProto::AttributeType type) {
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(type);
  return attribute;
}

} // namespace

GraphAdditions::GraphAdditions(pb::GraphProto &graph) : graph(graph) {
  for (const pb::TensorProto &tensor : graph.initializer()) {
    names.insert(tensor.name());
  }
  for (const pb::NodeProto &node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
  }
}

std::string GraphAdditions::getFreshName(std::string name) {
  while (!claim(name)) {
    name += "_";
  }
  return name;
}

pb::TensorProto &GraphAdditions::addTensor(llvm::StringRef name,
                                           int32_t dataType,
                                           llvm::ArrayRef<int64_t> shape) {
  pb::TensorProto &tensor = tensors.emplace_back();
  tensor.set_name(name.str());
  tensor.set_data_type(dataType);
  *tensor.mutable_dims() = {shape.begin(), shape.end()};
  return tensor;
}

std::string GraphAdditions::addIntegers(llvm::StringRef name,
                                        llvm::ArrayRef<int64_t> values,
                                        llvm::ArrayRef<int64_t> shape) {
  pb::TensorProto &tensor =
      addTensor(getFreshName(name.str()), pb::TensorProto::INT64, shape);
  *tensor.mutable_int64_data() = {values.begin(), values.end()};
  return tensor.name();
}

std::string GraphAdditions::addScalar(llvm::StringRef name, float value) {
  pb::TensorProto &tensor =
      addTensor(getFreshName(name.str()), pb::TensorProto::FLOAT, {});
  tensor.add_float_data(value);
  return tensor.name();
}

pb::NodeProto &GraphAdditions::addNode(llvm::StringRef name, llvm::StringRef op,
                                       llvm::ArrayRef<std::string> inputs,
                                       llvm::ArrayRef<std::string> outputs) {
  pb::NodeProto &node = nodes.emplace_back();
  node.set_name(name.str());
  node.set_op_type(op.str());
  *node.mutable_input() = {inputs.begin(), inputs.end()};
  *node.mutable_output() = {outputs.begin(), outputs.end()};
  return node;
}

void GraphAdditions::addAll() {
  for (pb::TensorProto &tensor : tensors) {
    *graph.add_initializer() = std::move(tensor);
  }
  int before = graph.node_size();
  for (pb::NodeProto &node : nodes) {
    *graph.add_node() = std::move(node);
  }
  std::rotate(graph.mutable_node()->begin(),
              graph.mutable_node()->begin() + before,
              graph.mutable_node()->end());
  tensors.clear();
  nodes.clear();
}

void addAttribute(pb::NodeProto &node, llvm::StringRef name, int64_t value) {
  addTyped(node, name, pb::AttributeProto::INT).set_i(value);
}

void addAttribute(pb::NodeProto &node, llvm::StringRef name,
                  llvm::ArrayRef<int64_t> values) {
  *addTyped(node, name, pb::AttributeProto::INTS).mutable_ints() = {
      values.begin(), values.end()};
}

} // namespace accel::onnx
