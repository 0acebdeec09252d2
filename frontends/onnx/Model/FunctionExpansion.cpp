// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlining on the protobuf: values of the body are renamed after the call,
// attribute references are resolved, and nodes without a traceback of their own
// take the call's. The graphs of If, Loop and Scan are part of the body, and
// may call functions themselves.
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

using Nodes = google::protobuf::RepeatedPtrField<pb::NodeProto>;

/// Far above any model, far below what a file of a few bytes could ask for.
constexpr int nodeLimit = 250'000;
constexpr unsigned depthLimit = 64;

/// A call of a function, which turns nodes of the body into nodes of the
/// caller.
class Call {
public:
  Call(const pb::NodeProto &node, const pb::FunctionProto &function,
       std::string prefix);

  pb::NodeProto inlineNode(pb::NodeProto inner) const;

private:
  void rename(std::string &name) const;
  void rename(pb::GraphProto &graph) const;
  void resolveAttributes(pb::NodeProto &inner) const;
  const pb::AttributeProto *findAttribute(StringRef name) const;

  const pb::NodeProto &node;
  const pb::FunctionProto &function;
  std::string prefix;
  llvm::StringMap<std::string> passed; ///< the caller's names of inputs and
                                       ///< outputs
};

Call::Call(const pb::NodeProto &node, const pb::FunctionProto &function,
           std::string prefix)
    : node(node), function(function), prefix(std::move(prefix)) {
  for (int i = 0; i < function.input_size(); ++i) {
    passed[function.input(i)] =
        i < node.input_size() ? node.input(i) : std::string();
  }
  for (int i = 0; i < node.output_size(); ++i) {
    passed[function.output(i)] = node.output(i);
  }
}

pb::NodeProto Call::inlineNode(pb::NodeProto inner) const {
  inner.set_name(prefix + getNodeName(inner));
  for (auto *names : {inner.mutable_input(), inner.mutable_output()}) {
    llvm::for_each(*names, [&](std::string &name) { rename(name); });
  }
  if (inner.metadata_props().empty()) {
    *inner.mutable_metadata_props() = node.metadata_props();
  }
  resolveAttributes(inner);
  return inner;
}

void Call::rename(std::string &name) const {
  auto found = passed.find(name);
  if (!name.empty()) {
    name = found == passed.end() ? prefix + name : found->second;
  }
}

void Call::rename(pb::GraphProto &graph) const {
  for (auto *values : {graph.mutable_input(), graph.mutable_output()}) {
    for (pb::ValueInfoProto &value : *values) {
      rename(*value.mutable_name());
    }
  }
  for (pb::TensorProto &tensor : *graph.mutable_initializer()) {
    rename(*tensor.mutable_name());
  }
  for (pb::NodeProto &inner : *graph.mutable_node()) {
    inner = inlineNode(std::move(inner));
  }
}

/// An attribute of the body that refers to one of the function: the call's
/// value, else the default, else absent.
void Call::resolveAttributes(pb::NodeProto &inner) const {
  google::protobuf::RepeatedPtrField<pb::AttributeProto> resolved;
  for (pb::AttributeProto &attribute : *inner.mutable_attribute()) {
    if (attribute.has_g()) {
      rename(*attribute.mutable_g());
    }
    if (attribute.ref_attr_name().empty()) {
      *resolved.Add() = std::move(attribute);
    } else if (const auto *value = findAttribute(attribute.ref_attr_name())) {
      *resolved.Add() = *value;
      resolved.rbegin()->set_name(attribute.name());
    }
  }
  *inner.mutable_attribute() = std::move(resolved);
}

const pb::AttributeProto *Call::findAttribute(StringRef name) const {
  for (const auto *attributes :
       {&node.attribute(), &function.attribute_proto()}) {
    auto found =
        llvm::find_if(*attributes, [&](const pb::AttributeProto &each) {
          return each.name() == name;
        });
    if (found != attributes->end()) {
      return &*found;
    }
  }
  return nullptr;
}

class Expander {
public:
  Expander(const pb::ModelProto &model, StringRef path, MLIRContext &context)
      : path(path), context(context) {
    for (const pb::FunctionProto &function : model.functions()) {
      functions[makeKey(function.domain(), function.name(),
                        function.overload())] = &function;
    }
  }

  LogicalResult expandGraph(pb::GraphProto &graph);

private:
  static std::string makeKey(const std::string &domain, const std::string &name,
                             const std::string &overload) {
    return getDomain(domain).str() + "\n" + name + "\n" + overload;
  }
  InFlightDiagnostic error() {
    return emitCodedError(UnknownLoc::get(&context), codes::GraphStructure)
           << path << ": ";
  }

  LogicalResult append(pb::NodeProto node, Nodes &to);
  LogicalResult appendBody(const pb::NodeProto &call,
                           const pb::FunctionProto &function, Nodes &to);

  StringRef path;
  MLIRContext &context;
  llvm::StringMap<const pb::FunctionProto *> functions;
  llvm::StringSet<> active; ///< functions being expanded
  int64_t expansions = 0, nodeCount = 0;
};

LogicalResult Expander::expandGraph(pb::GraphProto &graph) {
  Nodes nodes;
  nodes.Swap(graph.mutable_node());
  for (pb::NodeProto &node : nodes) {
    if (failed(append(std::move(node), *graph.mutable_node()))) {
      return failure();
    }
  }
  return success();
}

/// Adds `node`, or what it stands for.
LogicalResult Expander::append(pb::NodeProto node, Nodes &to) {
  std::string key = makeKey(node.domain(), node.op_type(), node.overload());
  auto found = functions.find(key);
  if (found == functions.end()) {
    if (++nodeCount > nodeLimit) {
      return error() << "expected at most " << nodeLimit
                     << " nodes after expanding functions, got more";
    }
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g() && failed(expandGraph(*attribute.mutable_g()))) {
        return failure();
      }
    }
    *to.Add() = std::move(node);
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
  LogicalResult result = appendBody(node, *found->second, to);
  active.erase(key);
  return result;
}

LogicalResult Expander::appendBody(const pb::NodeProto &call,
                                   const pb::FunctionProto &function,
                                   Nodes &to) {
  if (call.input_size() > function.input_size() ||
      call.output_size() > function.output_size()) {
    return error() << "call '" << getNodeName(call) << "': expected at most "
                   << function.input_size() << " inputs and "
                   << function.output_size() << " outputs of function '"
                   << function.name() << "', got " << call.input_size()
                   << " and " << call.output_size();
  }
  Call inlined(call, function,
               getNodeName(call) + "/" + std::to_string(expansions++) + "/");
  for (const pb::NodeProto &inner : function.node()) {
    if (failed(append(inlined.inlineNode(inner), to))) {
      return failure();
    }
  }
  return success();
}

} // namespace

LogicalResult expandFunctions(pb::ModelProto &model, StringRef path,
                              MLIRContext &context) {
  return model.functions().empty() ? success()
                                   : Expander(model, path, context)
                                         .expandGraph(*model.mutable_graph());
}

} // namespace accel::onnx
