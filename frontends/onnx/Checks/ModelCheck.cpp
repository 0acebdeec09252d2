// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model from the outside in: imports, the graph's names, its tensors, nodes
// and their attributes, among which are the graphs of If, Loop and Scan, then
// the same of each function.
#include "frontends/onnx/Checks/ModelCheck.h"

#include "frontends/onnx/Checks/TensorCheck.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel::onnx {
namespace {

std::string quoted(StringRef text) { return ("'" + text + "'").str(); }

/// How many kinds of values `attribute` holds, and the type of the last.
unsigned countValues(const pb::AttributeProto &attribute,
                     pb::AttributeProto::AttributeType &type) {
  unsigned count = 0;
  auto found = [&](bool holds, pb::AttributeProto::AttributeType kind) {
    count += holds ? 1 : 0;
    type = holds ? kind : type;
  };
  found(attribute.has_f(), pb::AttributeProto::FLOAT);
  found(attribute.has_i(), pb::AttributeProto::INT);
  found(attribute.has_s(), pb::AttributeProto::STRING);
  found(attribute.has_t(), pb::AttributeProto::TENSOR);
  found(attribute.has_g(), pb::AttributeProto::GRAPH);
  found(attribute.has_tp(), pb::AttributeProto::TYPE_PROTO);
  found(attribute.has_sparse_tensor(), pb::AttributeProto::SPARSE_TENSOR);
  found(attribute.floats_size() > 0, pb::AttributeProto::FLOATS);
  found(attribute.ints_size() > 0, pb::AttributeProto::INTS);
  found(attribute.strings_size() > 0, pb::AttributeProto::STRINGS);
  found(attribute.tensors_size() > 0, pb::AttributeProto::TENSORS);
  found(attribute.graphs_size() > 0, pb::AttributeProto::GRAPHS);
  found(attribute.type_protos_size() > 0, pb::AttributeProto::TYPE_PROTOS);
  found(attribute.sparse_tensors_size() > 0,
        pb::AttributeProto::SPARSE_TENSORS);
  return count;
}

std::string nameOf(int type) {
  std::string name =
      pb::AttributeProto::AttributeType_IsValid(type)
          ? pb::AttributeProto::AttributeType_Name(
                static_cast<pb::AttributeProto::AttributeType>(type))
          : std::string();
  return name.empty() ? "type " + std::to_string(type) : name;
}

class ModelChecker {
public:
  ModelChecker(const pb::ModelProto &model, StringRef path,
               MLIRContext &context)
      : model(model), path(path), context(context) {}

  LogicalResult run() {
    checkMetadata();
    checkGraph(model.graph());
    llvm::StringSet<> functions;
    for (const pb::FunctionProto &function : model.functions()) {
      std::string key =
          (getDomain(function.domain()) + ":" + function.name()).str() +
          (function.overload().empty() ? "" : ":") + function.overload();
      if (!functions.insert(key).second) {
        error() << "expected every function once, got " << quoted(key)
                << " again";
      }
      checkFunction(function);
    }
    return failure(hasFailed);
  }

private:
  using Imports = google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>;
  using Names = google::protobuf::RepeatedPtrField<std::string>;

  /// The graph or the function that is looked at.
  struct Scope {
    std::string place; ///< "function 'f': ", or nothing for the graph
    llvm::StringMap<int64_t> imports;
    bool isFunction = false;
  };

  InFlightDiagnostic error() {
    hasFailed = true;
    return emitCodedError(UnknownLoc::get(&context), codes::GraphStructure)
           << path << ": ";
  }
  InFlightDiagnostic error(const pb::NodeProto &node) {
    hasFailed = true;
    return emitCodedError(getNodeLocation(context, node), codes::InvalidNode)
           << node.op_type() << " '" << getNodeName(node) << "': ";
  }

  void checkMetadata();
  void checkGraph(const pb::GraphProto &graph);
  void checkFunction(const pb::FunctionProto &function);
  void collectImports(const Imports &imports, Scope &scope);
  void checkInitializers(const pb::GraphProto &graph);
  void checkDistinct(const Names &names, const Scope &scope, StringRef kind);
  void checkNode(const pb::NodeProto &node, const Scope &scope);
  void checkAttributes(const pb::NodeProto &node, const Scope &scope);
  bool checkAttribute(const pb::NodeProto &node,
                      const pb::AttributeProto &attribute, const Scope &scope);
  void checkSchema(const pb::NodeProto &node, const OperatorInfo &info);

  const pb::ModelProto &model;
  StringRef path;
  MLIRContext &context;
  bool hasFailed = false;
};

void ModelChecker::checkMetadata() {
  llvm::StringSet<> keys;
  for (const pb::StringStringEntryProto &entry : model.metadata_props()) {
    if (!keys.insert(entry.key()).second) {
      error() << "expected every key of the model's metadata once, got "
              << quoted(entry.key()) << " again";
    }
  }
}

void ModelChecker::collectImports(const Imports &imports, Scope &scope) {
  for (const pb::OperatorSetIdProto &entry : imports) {
    StringRef domain = getDomain(entry.domain());
    if (!scope.imports.try_emplace(domain, entry.version()).second) {
      error() << scope.place
              << "expected one operator set of each domain, got a second one "
                 "of "
              << (domain.empty() ? "the default domain" : quoted(domain));
    }
  }
}

void ModelChecker::checkGraph(const pb::GraphProto &graph) {
  Scope scope;
  collectImports(model.opset_import(), scope);
  if (graph.name().empty()) {
    error() << "expected a graph with a name, got none";
  }
  llvm::StringSet<> inputs;
  for (const pb::ValueInfoProto &input : graph.input()) {
    if (input.name().empty()) {
      error() << "expected every input of the graph to have a name, got one "
                 "without";
    } else if (!inputs.insert(input.name()).second) {
      error() << "expected every input of the graph once, got "
              << quoted(input.name()) << " again";
    }
  }
  for (const pb::ValueInfoProto &output : graph.output()) {
    if (output.name().empty()) {
      error() << "expected every output of the graph to have a name, got one "
                 "without";
    }
  }
  checkInitializers(graph);
  for (const pb::NodeProto &node : graph.node()) {
    checkNode(node, scope);
  }
}

void ModelChecker::checkInitializers(const pb::GraphProto &graph) {
  if (graph.sparse_initializer_size() > 0) {
    error() << "expected dense initializers, got sparse ones; store the "
               "weights densely before export";
  }
  llvm::StringSet<> names;
  for (const pb::TensorProto &tensor : graph.initializer()) {
    if (tensor.name().empty()) {
      error() << "expected every initializer to have a name, got one without";
    } else if (!names.insert(tensor.name()).second) {
      error() << "expected every initializer once, got "
              << quoted(tensor.name()) << " again";
    }
    if (std::optional<std::string> fault = findFault(tensor)) {
      error() << "initializer " << quoted(tensor.name()) << ": " << *fault;
    }
  }
}

void ModelChecker::checkDistinct(const Names &names, const Scope &scope,
                                 StringRef kind) {
  llvm::StringSet<> known;
  for (const std::string &name : names) {
    if (!known.insert(name).second) {
      error() << scope.place << "expected every " << kind << " once, got "
              << quoted(name) << " again";
    }
  }
}

void ModelChecker::checkFunction(const pb::FunctionProto &function) {
  Scope scope;
  scope.place = "function " + quoted(function.name()) + ": ";
  scope.isFunction = true;
  if (function.name().empty()) {
    error() << "expected every function to have a name, got one without";
  }
  collectImports(function.opset_import(), scope);
  checkDistinct(function.input(), scope, "input");
  checkDistinct(function.output(), scope, "output");
  Names attributes = function.attribute();
  for (const pb::AttributeProto &attribute : function.attribute_proto()) {
    *attributes.Add() = attribute.name();
  }
  checkDistinct(attributes, scope, "attribute");
  Names values = function.input();
  for (const pb::NodeProto &node : function.node()) {
    checkNode(node, scope);
    for (const std::string &output : node.output()) {
      if (!output.empty()) {
        *values.Add() = output;
      }
    }
  }
  checkDistinct(values, scope, "value");
}

void ModelChecker::checkNode(const pb::NodeProto &node, const Scope &scope) {
  if (node.op_type().empty()) {
    error() << scope.place << "node " << quoted(getNodeName(node))
            << ": expected an operator, got none";
    return;
  }
  if (node.output_size() == 0) {
    error(node) << "expected at least one output, got none";
  }
  auto import = scope.imports.find(getDomain(node.domain()));
  if (import == scope.imports.end()) {
    error(node) << "expected an operator set of "
                << (node.domain().empty() ? "the default domain"
                                          : "domain " + quoted(node.domain()))
                << " among the imports of the "
                << (scope.isFunction ? "function" : "model") << ", got none";
    return;
  }
  checkAttributes(node, scope);
  if (!getDomain(node.domain()).empty()) {
    return;
  }
  const OperatorInfo *info = findOperator(node.op_type(), import->second);
  if (scope.isFunction &&
      (import->second < convertedOpset ||
       info != findOperator(node.op_type(), defaultOpset(model)))) {
    error(node) << scope.place << "expected operator set " << convertedOpset
                << " or later, and an operator that means the same in that of "
                   "the model, "
                << defaultOpset(model) << ", got " << import->second
                << "; write the body in place of the calls: "
                   "onnx.inliner.inline_local_functions(model, "
                   "convert_version=True)";
  } else if (info) {
    checkSchema(node, *info);
  }
}

void ModelChecker::checkAttributes(const pb::NodeProto &node,
                                   const Scope &scope) {
  llvm::StringSet<> names;
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (attribute.name().empty()) {
      error(node) << "expected every attribute to have a name, got one without";
      continue;
    }
    if (!names.insert(attribute.name()).second) {
      error(node) << "expected every attribute once, got "
                  << quoted(attribute.name()) << " again";
      continue;
    }
    for (const pb::NodeProto &inner : attribute.g().node()) {
      checkNode(inner, scope);
    }
    if (checkAttribute(node, attribute, scope) && attribute.has_t()) {
      if (std::optional<std::string> fault = findFault(attribute.t())) {
        error(node) << "attribute " << quoted(attribute.name()) << ": "
                    << *fault;
      }
    }
  }
}

bool ModelChecker::checkAttribute(const pb::NodeProto &node,
                                  const pb::AttributeProto &attribute,
                                  const Scope &scope) {
  auto type = attribute.type();
  unsigned count = countValues(attribute, type);
  auto fault = [&] {
    return error(node) << "attribute " << quoted(attribute.name()) << ": ";
  };
  if (attribute.type() == pb::AttributeProto::UNDEFINED) {
    fault() << "expected a type, got none";
  } else if (count > 1) {
    fault() << "expected one value, got " << count;
  } else if (type != attribute.type()) {
    fault() << "expected a value of its type, " << nameOf(attribute.type())
            << ", got one of type " << nameOf(type);
  } else if (attribute.ref_attr_name().empty()) {
    return true;
  } else if (!scope.isFunction) {
    fault() << "expected a value, got a reference to an attribute of a "
               "function, outside of one";
  } else if (count > 0) {
    fault() << "expected a value or a reference to an attribute of the "
               "function, got both";
  } else {
    return true;
  }
  return false;
}

void ModelChecker::checkSchema(const pb::NodeProto &node,
                               const OperatorInfo &info) {
  auto outputs = static_cast<unsigned>(node.output_size());
  if (outputs > info.maxOutputs) {
    error(node) << "expected at most " << info.maxOutputs << " outputs, got "
                << outputs;
  }
  // Only further outputs may be left out, of recurrent operators all; those of
  // a list may not.
  bool isList = info.maxOutputs == anyNumber,
       isRecurrent = llvm::is_contained({"GRU", "LSTM", "RNN"}, info.name);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty() && ((i == 0 && !isRecurrent) || isList)) {
      error(node) << "expected output " << i << " to have a name, got none";
    }
  }
  for (const AttributeInfo &known : getAttributes(info)) {
    auto found =
        llvm::find_if(node.attribute(), [&](const pb::AttributeProto &each) {
          return known.name == each.name();
        });
    if (found == node.attribute().end()) {
      if (known.isRequired) {
        error(node) << "expected attribute " << quoted(known.name)
                    << ", got none";
      }
      continue;
    }
    std::string type = StringRef(nameOf(found->type())).lower();
    if (type != known.type && found->type() != pb::AttributeProto::UNDEFINED) {
      error(node) << "attribute " << quoted(known.name) << ": expected type "
                  << known.type.upper() << ", got " << StringRef(type).upper();
    }
  }
}

} // namespace

LogicalResult checkModel(const pb::ModelProto &model, StringRef path,
                         MLIRContext &context) {
  return ModelChecker(model, path, context).run();
}

} // namespace accel::onnx
