// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the value of every name of the graph and calls the converters of the
// operator table.
#include "frontends/onnx/Conversion/GraphConversion.h"

#include "frontends/onnx/Conversion/GraphOrder.h"
#include "frontends/onnx/Conversion/NarrowIntegers.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

#include <utility>

using namespace mlir;

namespace accel::onnx {
namespace {

/// What nodes, also those of bodies, and outputs read.
void noteReads(const pb::GraphProto &graph, llvm::StringSet<> &read) {
  for (const pb::NodeProto &node : graph.node()) {
    read.insert(node.input().begin(), node.input().end());
    for (const pb::AttributeProto &attribute : node.attribute()) {
      noteReads(attribute.g(), read);
    }
  }
  for (const pb::ValueInfoProto &output : graph.output()) {
    read.insert(output.name());
  }
}

class GraphConverter {
public:
  GraphConverter(const GraphSource &source, ConversionState &state,
                 ModuleOp module)
      : source(source), state(state), module(module),
        builder(module.getContext(), &state.known) {
    for (const pb::TensorProto &tensor : source.graph.initializer()) {
      initializers[tensor.name()] = &tensor;
    }
    state.convertBody = [this](const pb::GraphProto &body,
                               ArrayRef<BodyValue> inputs,
                               SmallVectorImpl<BodyValue> &outputs) {
      return convertBody(body, inputs, outputs);
    };
  }
  ~GraphConverter() { state.convertBody = nullptr; }

  LogicalResult run(const BoundInputs &inputs) {
    FailureOr<SmallVector<const pb::NodeProto *>> order =
        orderNodes(source.graph, source.path, *module.getContext());
    if (failed(order)) {
      return failure();
    }
    noteReads(source.graph, state.read);
    makeFunction(inputs);
    for (const pb::NodeProto *node : *order) {
      convert(*node);
    }
    if (anyFailed || failed(makeReturn())) {
      return failure();
    }
    return state.known.materialize(state.function.getBody().front());
  }

private:
  void makeFunction(const BoundInputs &inputs);
  void convert(const pb::NodeProto &node);
  /// The names of a body's values are those of its last run: no other value
  /// has them.
  LogicalResult convertBody(const pb::GraphProto &body,
                            ArrayRef<BodyValue> inputs,
                            SmallVectorImpl<BodyValue> &outputs);
  LogicalResult makeReturn();
  /// Nobody behind a body would know that its outputs are narrow.
  LogicalResult checkBodyOutput(StringRef name) const;
  /// The value of `name` where it is about to be used by something at `loc`;
  /// null after an error.
  Value lookup(StringRef name, Location loc);
  Value readParameter(const RecoveredParameter &holder, Location loc);
  /// The node's inputs that the model detaches send no gradients.
  void stopGradients(const pb::NodeProto &node, MutableArrayRef<Value> inputs,
                     Location loc);

  const GraphSource &source;
  ConversionState &state;
  ModuleOp module;
  OpBuilder builder;
  llvm::StringMap<const pb::TensorProto *> initializers;
  llvm::StringMap<Value> values;
  llvm::StringSet<>
      poisoned; ///< values of nodes that failed, or that depend on such
  bool anyFailed = false;
};

void GraphConverter::makeFunction(const BoundInputs &inputs) {
  MLIRContext *context = module.getContext();
  SmallVector<const pb::ValueInfoProto *> protos = getDataInputs(source.graph);
  SmallVector<Type> types(inputs.types.begin(), inputs.types.end());
  Location loc = NameLoc::get(builder.getStringAttr("forward"));
  builder.setInsertionPointToEnd(module.getBody());
  state.function = func::FuncOp::create(builder, loc, "forward",
                                        FunctionType::get(context, types, {}));
  Block *entry = state.function.addEntryBlock();
  for (auto [i, proto] : llvm::enumerate(protos)) {
    state.function.setArgAttr(i, "accel.name",
                              builder.getStringAttr(proto->name()));
    values[proto->name()] = entry->getArgument(i);
    state.shapedByInputs.insert(proto->name());
    markNarrow(state, proto->name(), proto->type().tensor_type().elem_type());
    entry->getArgument(i).setLoc(
        NameLoc::get(builder.getStringAttr(proto->name())));
  }
  builder.setInsertionPointToEnd(entry);
}

Value GraphConverter::readParameter(const RecoveredParameter &holder,
                                    Location loc) {
  const ModelParameter &parameter =
      source.weights.parameters[source.weights.byName.lookup(holder.parameter)];
  Value value = ReadOp::create(builder, loc, parameter.type, parameter.name);
  if (holder.transposed) {
    RankedTensorType type = parameter.type;
    return TransposeOp::create(
        builder, loc, type.clone({type.getDimSize(1), type.getDimSize(0)}),
        value, ArrayRef<int64_t>{1, 0});
  }
  const auto &dims = initializers.lookup(holder.initializer)->dims();
  RankedTensorType held =
      parameter.type.clone(SmallVector<int64_t>(dims.begin(), dims.end()));
  return held == parameter.type
             ? value
             : ReshapeOp::create(builder, loc, held, value).getResult();
}

Value GraphConverter::lookup(StringRef name, Location loc) {
  if (Value value = values.lookup(name)) {
    return value;
  }
  if (const RecoveredParameter *holder = source.recovery.find(name)) {
    return readParameter(*holder, loc);
  }
  const pb::TensorProto *tensor = initializers.lookup(name);
  if (!tensor) {
    emitCodedError(loc, codes::GraphStructure)
        << source.path
        << ": expected a use of an output that the importer makes, got one of '"
        << name << "'";
    return {};
  }
  FailureOr<DenseElementsAttr> elements =
      readConstantElements(*tensor, source.path, *module.getContext());
  if (failed(elements)) {
    return {};
  }
  Value constant = ConstantOp::create(
      builder, NameLoc::get(builder.getStringAttr(name)), *elements);
  values[name] = constant;
  markNarrow(state, name, tensor->data_type());
  return constant;
}

void GraphConverter::stopGradients(const pb::NodeProto &node,
                                   MutableArrayRef<Value> inputs,
                                   Location loc) {
  if (node.output_size() == 0) {
    return;
  }
  for (int input : source.recovery.detached.lookup(node.output(0))) {
    inputs[input] = StopGradientOp::create(builder, loc, inputs[input]);
  }
}

void GraphConverter::convert(const pb::NodeProto &node) {
  Location loc = getNodeLocation(*module.getContext(), node);
  auto poison = [&] {
    for (const std::string &output : node.output()) {
      poisoned.insert(output);
    }
    anyFailed = true;
  };
  if (state.unsupported.contains(&node)) {
    return poison();
  }
  SmallVector<Value> inputs;
  for (const std::string &name : node.input()) {
    bool isAbsent = name.empty() || state.sequences.contains(name);
    Value value =
        isAbsent || poisoned.contains(name) ? Value() : lookup(name, loc);
    if (!isAbsent && !value) {
      return poison();
    }
    inputs.push_back(value);
  }
  stopGradients(node, inputs, loc);
  // Whatever a body uses may depend on one.
  bool isShaped =
      llvm::any_of(node.input(),
                   [&](const std::string &name) {
                     return state.shapedByInputs.contains(name);
                   }) ||
      llvm::any_of(node.attribute(), [](const pb::AttributeProto &attribute) {
        return attribute.has_g();
      });
  if (isShaped) {
    for (const std::string &output : node.output()) {
      state.shapedByInputs.insert(output);
    }
  }
  NodeConversion conversion(state, builder, loc, node, inputs);
  for (const std::string &output : node.output()) {
    state.narrow.erase(output);
  }
  if (failed(checkNarrowInputs(conversion)) ||
      failed(
          findOperator(node.op_type(), state.opset)->converter(conversion))) {
    return poison();
  }
  markNarrowOutputs(conversion);
  for (int i = 0; i < node.output_size(); ++i) {
    // Results that a converter does not make are missed by whoever uses them.
    if (Value result = conversion.getResult(i)) {
      values[node.output(i)] = result;
    }
  }
}

LogicalResult GraphConverter::convertBody(const pb::GraphProto &body,
                                          ArrayRef<BodyValue> inputs,
                                          SmallVectorImpl<BodyValue> &outputs) {
  auto bind = [&](const std::string &name, const BodyValue &value) {
    values.erase(name);
    state.narrow.erase(name);
    state.sequences.erase(name);
    if (value.sequence) {
      state.sequences[name] = *value.sequence;
    } else {
      values[name] = value.value;
    }
  };
  for (const pb::TensorProto &tensor : body.initializer()) {
    if (tensor.dims_size() > 0 &&
        tensor.data_type() == pb::TensorProto::FLOAT) {
      return emitCodedError(state.function.getLoc(), codes::GraphStructure)
             << source.path << ": expected weights of the graph itself, got '"
             << tensor.name()
             << "' in a branch or a body, where it would not train; export "
                "with dynamo=True";
    }
    values.erase(tensor.name());
    initializers[tensor.name()] = &tensor;
  }
  for (auto [i, value] : llvm::enumerate(inputs)) {
    bind(body.input(static_cast<int>(i)).name(), value);
  }
  bool failedBefore = std::exchange(anyFailed, false);
  for (const pb::NodeProto &node : body.node()) {
    for (const std::string &output : node.output()) {
      values.erase(output);
      state.sequences.erase(output);
    }
    convert(node);
  }
  bool failedHere = std::exchange(anyFailed, anyFailed || failedBefore);
  if (failedHere) {
    return failure();
  }
  for (const pb::ValueInfoProto &output : body.output()) {
    if (failed(checkBodyOutput(output.name()))) {
      return failure();
    }
    auto sequence = state.sequences.find(output.name());
    if (sequence != state.sequences.end()) {
      outputs.push_back({Value(), sequence->second});
      continue;
    }
    outputs.push_back(
        {lookup(output.name(), state.function.getLoc()), std::nullopt});
    if (!outputs.back().value) {
      return failure();
    }
  }
  return success();
}

LogicalResult GraphConverter::checkBodyOutput(StringRef name) const {
  auto narrow = state.narrow.find(name);
  if (narrow == state.narrow.end()) {
    return success();
  }
  return emitCodedError(state.function.getLoc(), codes::InvalidNode)
         << source.path << ": expected an output '" << name
         << "' of a branch or a body that is not of "
         << getDataTypeName(narrow->second)
         << "; cast it to INT32 or INT64 in there";
}

LogicalResult GraphConverter::makeReturn() {
  SmallVector<Value> results;
  for (const pb::ValueInfoProto &output : source.graph.output()) {
    Value value = lookup(output.name(), state.function.getLoc());
    if (!value) {
      return failure();
    }
    results.push_back(value);
  }
  if (results.empty()) {
    return emitCodedError(UnknownLoc::get(module.getContext()),
                          codes::GraphStructure)
           << source.path
           << ": expected a model with at least one output, got none";
  }
  func::ReturnOp::create(builder, state.function.getLoc(), results);
  SmallVector<Type> types(ValueRange(results).getTypes());
  state.function.setType(FunctionType::get(
      module.getContext(), state.function.getArgumentTypes(), types));
  for (auto [i, output] : llvm::enumerate(source.graph.output())) {
    state.function.setResultAttr(i, "accel.name",
                                 builder.getStringAttr(output.name()));
  }
  return success();
}

} // namespace

SmallVector<const pb::ValueInfoProto *>
getDataInputs(const pb::GraphProto &graph) {
  llvm::StringSet<> initializers;
  for (const pb::TensorProto &tensor : graph.initializer()) {
    initializers.insert(tensor.name());
  }
  SmallVector<const pb::ValueInfoProto *> inputs;
  for (const pb::ValueInfoProto &input : graph.input()) {
    if (!initializers.contains(input.name())) {
      inputs.push_back(&input);
    }
  }
  return inputs;
}

LogicalResult convertGraph(const GraphSource &source, const BoundInputs &inputs,
                           ConversionState &state, ModuleOp module) {
  return GraphConverter(source, state, module).run(inputs);
}

} // namespace accel::onnx
