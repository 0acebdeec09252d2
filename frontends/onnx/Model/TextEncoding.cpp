// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk over everything in a model that has a name.
#include "frontends/onnx/Model/TextEncoding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace accel::onnx {
namespace {

/// Looks at texts until one is none; `found` is its path then.
class TextCheck {
public:
  std::optional<InvalidText> found;

  void visit(const pb::GraphProto &graph, const std::string &path) {
    name(graph.name(), path + ".name");
    each(graph.node(), path + ".node");
    each(graph.initializer(), path + ".initializer");
    each(graph.input(), path + ".input");
    each(graph.output(), path + ".output");
    each(graph.value_info(), path + ".value_info");
    each(graph.metadata_props(), path + ".metadata_props");
  }

  void visit(const pb::FunctionProto &function, const std::string &path) {
    name(function.name(), path + ".name");
    name(function.domain(), path + ".domain");
    each(function.input(), path + ".input");
    each(function.output(), path + ".output");
    each(function.node(), path + ".node");
  }

  template <typename Range>
  void each(const Range &range, const std::string &path) {
    for (int i = 0; i < range.size() && !found; ++i) {
      visit(range.Get(i), path + "[" + std::to_string(i) + "]");
    }
  }

private:
  void text(const std::string &value, const std::string &path) {
    if (!found && !llvm::json::isUTF8(value)) {
      found = {path, /*isUtf8=*/false};
    }
  }

  /// A text that stands for something.
  void name(const std::string &value, const std::string &path) {
    text(value, path);
    bool hasControl = llvm::any_of(
        value, [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; });
    if (!found && hasControl) {
      found = {path, /*isUtf8=*/true};
    }
  }

  void visit(const std::string &value, const std::string &path) {
    name(value, path);
  }

  void visit(const pb::NodeProto &node, const std::string &path) {
    name(node.name(), path + ".name");
    name(node.op_type(), path + ".op_type");
    name(node.domain(), path + ".domain");
    each(node.input(), path + ".input");
    each(node.output(), path + ".output");
    each(node.attribute(), path + ".attribute");
    each(node.metadata_props(), path + ".metadata_props");
  }

  void visit(const pb::AttributeProto &attribute, const std::string &path) {
    name(attribute.name(), path + ".name");
    name(attribute.ref_attr_name(), path + ".ref_attr_name");
  }

  void visit(const pb::TensorProto &tensor, const std::string &path) {
    name(tensor.name(), path + ".name");
    each(tensor.external_data(), path + ".external_data");
  }

  void visit(const pb::ValueInfoProto &value, const std::string &path) {
    name(value.name(), path + ".name");
    for (const auto &size : value.type().tensor_type().shape().dim()) {
      name(size.dim_param(), path + ".type.tensor_type.shape.dim_param");
    }
    each(value.metadata_props(), path + ".metadata_props");
  }

  void visit(const pb::StringStringEntryProto &entry, const std::string &path) {
    text(entry.key(), path + ".key");
    text(entry.value(), path + ".value");
  }
};

} // namespace

std::optional<InvalidText> findInvalidText(const pb::ModelProto &model) {
  TextCheck check;
  check.visit(model.graph(), "graph");
  check.each(model.functions(), "functions");
  return check.found;
}

} // namespace accel::onnx
