// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlining on the protobuf: values of the body are renamed after the call,
// attribute references are resolved, and nodes without a traceback of their own
// take the call's.
#include "frontends/onnx/Model/FunctionExpansion.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Far above any model, far below what a file of a few bytes could ask for.
constexpr int nodeLimit = 250'000;
constexpr unsigned depthLimit = 64;

class Expander {
public:
  Expander(pb::ModelProto &model, StringRef path, MLIRContext &context)
      : model(model), path(path), context(context) {
    for (const pb::FunctionProto &function : model.functions()) {
      functions[makeKey(function.domain(), function.name(),
                        function.overload())] = &function;
    }
  }

  LogicalResult run() {
    if (functions.empty()) {
      return success();
    }
    google::protobuf::RepeatedPtrField<pb::NodeProto> nodes;
    nodes.Swap(model.mutable_graph()->mutable_node());
    for (const pb::NodeProto &node : nodes) {
      if (failed(append(node))) {
        return failure();
      }
    }
    return success();
  }

private:
  static std::string makeKey(const std::string &domain, const std::string &name,
                             const std::string &overload) {
    return (domain == "ai.onnx" ? std::string() : domain) + "\n" + name + "\n" +
           overload;
  }
  InFlightDiagnostic error() {
    return emitCodedError(UnknownLoc::get(&context), codes::GraphStructure)
           << path << ": ";
  }

  LogicalResult append(const pb::NodeProto &node);
  LogicalResult expand(const pb::NodeProto &call,
                       const pb::FunctionProto &function);
  LogicalResult checkOpset(const pb::FunctionProto &function);
  LogicalResult resolveAttributes(pb::NodeProto &node,
                                  const pb::NodeProto &call,
                                  const pb::FunctionProto &function);

  pb::ModelProto &model;
  StringRef path;
  MLIRContext &context;
  llvm::StringMap<const pb::FunctionProto *> functions;
  llvm::StringSet<> active; ///< functions being expanded
  int64_t expansions = 0;
};

/// Adds `node`, or what it stands for, to the graph.
LogicalResult Expander::append(const pb::NodeProto &node) {
  std::string key = makeKey(node.domain(), node.op_type(), node.overload());
  auto found = functions.find(key);
  if (found == functions.end()) {
    if (model.graph().node_size() >= nodeLimit) {
      return error() << "expected at most " << nodeLimit
                     << " nodes after expanding functions, got more";
    }
    *model.mutable_graph()->add_node() = node;
    return success();
  }
  if (active.size() >= depthLimit) {
    return error() << "expected functions nested at most " << depthLimit
                   << " deep, got deeper ones";
  }
  if (!active.insert(key).second) {
    return error() << "expected functions that do not call themselves, got '"
                   << node.op_type() << "', which does";
  }
  LogicalResult result = expand(node, *found->second);
  active.erase(key);
  return result;
}

LogicalResult Expander::checkOpset(const pb::FunctionProto &function) {
  for (const pb::OperatorSetIdProto &entry : function.opset_import()) {
    bool standard = entry.domain().empty() || entry.domain() == "ai.onnx";
    if (standard && entry.version() != defaultOpset(model)) {
      return error() << "function '" << function.name()
                     << "': expected the model's operator set "
                     << defaultOpset(model) << ", got " << entry.version();
    }
  }
  return success();
}

LogicalResult Expander::expand(const pb::NodeProto &call,
                               const pb::FunctionProto &function) {
  if (failed(checkOpset(function))) {
    return failure();
  }
  if (call.input_size() > function.input_size() ||
      call.output_size() > function.output_size()) {
    return error() << "call '" << getNodeName(call) << "': expected at most "
                   << function.input_size() << " inputs and "
                   << function.output_size() << " outputs of function '"
                   << function.name() << "', got " << call.input_size()
                   << " and " << call.output_size();
  }
  std::string prefix =
      getNodeName(call) + "/" + std::to_string(expansions++) + "/";
  llvm::StringMap<std::string> renamed;
  for (int i = 0; i < function.input_size(); ++i) {
    renamed[function.input(i)] =
        i < call.input_size() ? call.input(i) : std::string();
  }
  for (int i = 0; i < call.output_size(); ++i) {
    renamed[function.output(i)] = call.output(i);
  }
  auto rename = [&](std::string &name) {
    auto found = renamed.find(name);
    if (!name.empty()) {
      name = found == renamed.end() ? prefix + name : found->second;
    }
  };
  for (const pb::NodeProto &inner : function.node()) {
    pb::NodeProto node = inner;
    node.set_name(prefix + getNodeName(inner));
    llvm::for_each(*node.mutable_input(), rename);
    llvm::for_each(*node.mutable_output(), rename);
    if (node.metadata_props().empty()) {
      *node.mutable_metadata_props() = call.metadata_props();
    }
    if (failed(resolveAttributes(node, call, function)) ||
        failed(append(node))) {
      return failure();
    }
  }
  return success();
}

/// An attribute of the body that refers to one of the function: the call's
/// value, else the default, else absent.
LogicalResult Expander::resolveAttributes(pb::NodeProto &node,
                                          const pb::NodeProto &call,
                                          const pb::FunctionProto &function) {
  google::protobuf::RepeatedPtrField<pb::AttributeProto> resolved;
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *resolved.Add() = attribute;
      continue;
    }
    const pb::AttributeProto *value = nullptr;
    for (const auto *attributes :
         {&function.attribute_proto(), &call.attribute()}) {
      for (const pb::AttributeProto &candidate : *attributes) {
        value =
            candidate.name() == attribute.ref_attr_name() ? &candidate : value;
      }
    }
    if (value) {
      pb::AttributeProto copy = *value;
      copy.set_name(attribute.name());
      *resolved.Add() = std::move(copy);
    }
  }
  *node.mutable_attribute() = std::move(resolved);
  return success();
}

} // namespace

LogicalResult expandFunctions(pb::ModelProto &model, StringRef path,
                              MLIRContext &context) {
  return Expander(model, path, context).run();
}

} // namespace accel::onnx
