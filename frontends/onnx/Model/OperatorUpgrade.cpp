// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function for each way in which operators changed; a table says which
// operator changed when, and how.
#include "frontends/onnx/Model/OperatorUpgrade.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <utility>

using namespace mlir;

namespace accel::onnx {
namespace {

class Upgrader {
public:
  Upgrader(pb::ModelProto &model, int64_t opset, MLIRContext &context)
      : graph(*model.mutable_graph()), opset(opset), context(context) {
    collectNames(graph);
  }

  LogicalResult run();

  // What happens to a node. `attribute` and `input` are the table's.
  void moveIntegers(pb::NodeProto &node, StringRef attribute, int input);
  void moveInteger(pb::NodeProto &node, StringRef attribute, int input);
  void moveFloat(pb::NodeProto &node, StringRef attribute, int input);
  void moveFloats(pb::NodeProto &node, StringRef attribute, int input);
  void rename(pb::NodeProto &node, StringRef name, int);
  void flattenSoftmax(pb::NodeProto &node, StringRef, int);
  void resizeUpsample(pb::NodeProto &node, StringRef, int);
  void resizeAsUpsample(pb::NodeProto &node, StringRef, int);
  void trainDropout(pb::NodeProto &node, StringRef, int);
  /// Drops an attribute that says what is so today.
  void expectOne(pb::NodeProto &node, StringRef attribute, int);
  void broadcastFromAxis(pb::NodeProto &node, StringRef, int);
  void broadcastSlope(pb::NodeProto &node, StringRef, int);
  void sayMode(pb::NodeProto &node, StringRef, int);
  void dropBatch(pb::NodeProto &node, StringRef, int);
  void drop(pb::NodeProto &node, StringRef attribute, int) {
    (void)take(node, attribute);
  }

private:
  void collectNames(const pb::GraphProto &of);
  void upgradeNodes(pb::GraphProto &of);
  std::optional<pb::AttributeProto> take(pb::NodeProto &node, StringRef name);
  pb::TensorProto &addTensor(StringRef name);
  pb::TensorProto &addTensor(pb::NodeProto &node, StringRef what, int input);
  std::string addInteger(StringRef name, int64_t value);
  std::string addNode(const pb::NodeProto &before, StringRef op,
                      ArrayRef<std::string> inputs);
  void alignSecond(pb::NodeProto &node, int64_t axis);
  std::string getFreshName(std::string name) {
    while (!names.insert(name).second) {
      name += "_";
    }
    return name;
  }
  static void setInput(pb::NodeProto &node, int input, std::string name) {
    while (node.input_size() <= input) {
      node.add_input();
    }
    node.set_input(input, std::move(name));
  }
  void setAttribute(pb::NodeProto &node, StringRef name, int64_t value);
  void setAttribute(pb::NodeProto &node, StringRef name, StringRef value);
  InFlightDiagnostic error(const pb::NodeProto &node) {
    hasFailed = true;
    return emitCodedError(getNodeLocation(context, node), codes::OperatorSet)
           << node.op_type() << " '" << getNodeName(node) << "': ";
  }

  pb::GraphProto &graph;
  int64_t opset;
  MLIRContext &context;
  llvm::StringSet<> names;
  std::vector<pb::TensorProto> tensors;
  std::vector<pb::NodeProto> nodes; ///< as they will be, in order
  bool hasFailed = false;
};

/// A change of an operator: it concerns nodes of operator sets before `since`.
struct Change {
  llvm::StringLiteral op;
  int64_t since;
  void (Upgrader::*apply)(pb::NodeProto &, StringRef, int);
  llvm::StringLiteral attribute;
  int input;
};

constexpr Change changes[] = {
    {"Squeeze", 13, &Upgrader::moveIntegers, "axes", 1},
    {"Unsqueeze", 13, &Upgrader::moveIntegers, "axes", 1},
    {"ReduceSum", 13, &Upgrader::moveIntegers, "axes", 1},
    {"Split", 13, &Upgrader::moveIntegers, "split", 1},
    {"Softmax", 13, &Upgrader::flattenSoftmax, "", 0},
    {"LogSoftmax", 13, &Upgrader::flattenSoftmax, "", 0},
    {"Hardmax", 13, &Upgrader::flattenSoftmax, "", 0},
    {"Dropout", 7, &Upgrader::trainDropout, "", 0},
    {"Dropout", 12, &Upgrader::moveFloat, "ratio", 1},
    {"Clip", 11, &Upgrader::moveFloat, "min", 1},
    {"Clip", 11, &Upgrader::moveFloat, "max", 2},
    {"Pad", 11, &Upgrader::moveIntegers, "pads", 1},
    {"Pad", 11, &Upgrader::moveFloat, "value", 2},
    {"Scatter", 11, &Upgrader::rename, "ScatterElements", 0},
    {"Resize", 11, &Upgrader::resizeAsUpsample, "", 0},
    {"Slice", 10, &Upgrader::moveIntegers, "starts", 1},
    {"Slice", 10, &Upgrader::moveIntegers, "ends", 2},
    {"Slice", 10, &Upgrader::moveIntegers, "axes", 3},
    {"TopK", 10, &Upgrader::moveInteger, "k", 1},
    {"Upsample", 9, &Upgrader::moveFloats, "scales", 1},
    {"Upsample", 10, &Upgrader::resizeUpsample, "", 0},
    {"BatchNormalization", 9, &Upgrader::expectOne, "spatial", 0},
    {"BatchNormalization", 7, &Upgrader::expectOne, "is_test", 0},
    {"BatchNormalization", 13, &Upgrader::sayMode, "", 0},
    {"PRelu", 7, &Upgrader::broadcastSlope, "", 0},
    {"Scan", 9, &Upgrader::dropBatch, "", 0},
    {"Gemm", 7, &Upgrader::drop, "broadcast", 0},
    {"Add", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"And", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Div", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Equal", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Greater", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Less", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Mul", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Or", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Pow", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Sub", 7, &Upgrader::broadcastFromAxis, "", 0},
    {"Xor", 7, &Upgrader::broadcastFromAxis, "", 0},
};

LogicalResult Upgrader::run() {
  upgradeNodes(graph);
  // Bodies see them, too.
  for (pb::TensorProto &tensor : tensors) {
    *graph.add_initializer() = std::move(tensor);
  }
  return failure(hasFailed);
}

/// Of a graph and the bodies of its nodes.
void Upgrader::collectNames(const pb::GraphProto &of) {
  for (const pb::ValueInfoProto &input : of.input()) {
    names.insert(input.name());
  }
  for (const pb::TensorProto &tensor : of.initializer()) {
    names.insert(tensor.name());
  }
  for (const pb::NodeProto &node : of.node()) {
    names.insert(node.output().begin(), node.output().end());
    for (const pb::AttributeProto &attribute : node.attribute()) {
      collectNames(attribute.g());
    }
  }
}

void Upgrader::upgradeNodes(pb::GraphProto &of) {
  std::vector<pb::NodeProto> outer = std::exchange(nodes, {});
  for (pb::NodeProto &original : *of.mutable_node()) {
    pb::NodeProto node = std::move(original);
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) {
        upgradeNodes(*attribute.mutable_g());
      }
    }
    std::string name = node.op_type();
    for (const Change &change : changes) {
      if (getDomain(node.domain()).empty() && change.op == name &&
          opset < change.since) {
        (this->*change.apply)(node, change.attribute, change.input);
      }
    }
    nodes.push_back(std::move(node));
  }
  of.clear_node();
  for (pb::NodeProto &node : nodes) {
    *of.add_node() = std::move(node);
  }
  nodes = std::move(outer);
}

std::optional<pb::AttributeProto> Upgrader::take(pb::NodeProto &node,
                                                 StringRef name) {
  auto found = llvm::find_if(
      *node.mutable_attribute(),
      [&](const pb::AttributeProto &each) { return name == each.name(); });
  if (found == node.mutable_attribute()->end()) {
    return std::nullopt;
  }
  pb::AttributeProto attribute = *found;
  node.mutable_attribute()->erase(found);
  return attribute;
}

/// A new initializer, whose name begins with `name`.
pb::TensorProto &Upgrader::addTensor(StringRef name) {
  pb::TensorProto &tensor = tensors.emplace_back();
  tensor.set_name(getFreshName(name.str()));
  return tensor;
}

/// A new initializer, which becomes the node's input.
pb::TensorProto &Upgrader::addTensor(pb::NodeProto &node, StringRef what,
                                     int input) {
  std::string of = node.output_size() > 0 ? node.output(0) : node.name();
  pb::TensorProto &tensor = addTensor(of + "_" + what.str());
  setInput(node, input, tensor.name());
  return tensor;
}

/// The name of a new initializer of one integer, as a vector.
std::string Upgrader::addInteger(StringRef name, int64_t value) {
  pb::TensorProto &tensor = addTensor(name);
  tensor.set_data_type(pb::TensorProto::INT64);
  tensor.add_dims(1);
  tensor.add_int64_data(value);
  return tensor.name();
}

/// A node in front of `before`, which errors name; returns its output's name.
std::string Upgrader::addNode(const pb::NodeProto &before, StringRef op,
                              ArrayRef<std::string> inputs) {
  pb::NodeProto &node = nodes.emplace_back();
  node.set_name(before.name());
  node.set_op_type(op.str());
  node.mutable_input()->Add(inputs.begin(), inputs.end());
  node.add_output(getFreshName(before.output(0) + "_" + op.lower()));
  return node.output(0);
}

void Upgrader::setAttribute(pb::NodeProto &node, StringRef name,
                            int64_t value) {
  (void)take(node, name);
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(pb::AttributeProto::INT);
  attribute.set_i(value);
}

void Upgrader::setAttribute(pb::NodeProto &node, StringRef name,
                            StringRef value) {
  (void)take(node, name);
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(pb::AttributeProto::STRING);
  attribute.set_s(value.str());
}

void Upgrader::moveIntegers(pb::NodeProto &node, StringRef attribute,
                            int input) {
  if (std::optional<pb::AttributeProto> given = take(node, attribute)) {
    pb::TensorProto &tensor = addTensor(node, attribute, input);
    tensor.set_data_type(pb::TensorProto::INT64);
    tensor.add_dims(given->ints_size());
    *tensor.mutable_int64_data() = given->ints();
  }
}

void Upgrader::moveInteger(pb::NodeProto &node, StringRef attribute,
                           int input) {
  if (std::optional<pb::AttributeProto> given = take(node, attribute)) {
    pb::TensorProto &tensor = addTensor(node, attribute, input);
    tensor.set_data_type(pb::TensorProto::INT64);
    tensor.add_dims(1);
    tensor.add_int64_data(given->i());
  }
}

/// Where no number is given the default is that of today's absent input.
void Upgrader::moveFloat(pb::NodeProto &node, StringRef attribute, int input) {
  if (std::optional<pb::AttributeProto> given = take(node, attribute)) {
    pb::TensorProto &tensor = addTensor(node, attribute, input);
    tensor.set_data_type(pb::TensorProto::FLOAT);
    tensor.add_float_data(given->f());
  }
}

void Upgrader::moveFloats(pb::NodeProto &node, StringRef attribute, int input) {
  if (std::optional<pb::AttributeProto> given = take(node, attribute)) {
    pb::TensorProto &tensor = addTensor(node, attribute, input);
    tensor.set_data_type(pb::TensorProto::FLOAT);
    tensor.add_dims(given->floats_size());
    *tensor.mutable_float_data() = given->floats();
  }
}

void Upgrader::rename(pb::NodeProto &node, StringRef name, int) {
  node.set_op_type(name.str());
}

/// All dimensions from the axis on, by default the second, were one.
void Upgrader::flattenSoftmax(pb::NodeProto &node, StringRef, int) {
  std::optional<pb::AttributeProto> given = take(node, "axis");
  int64_t axis = given ? given->i() : 1;
  setAttribute(node, "axis", int64_t{-1});
  if (axis == -1 || node.input_size() != 1 || node.output_size() != 1) {
    return;
  }
  std::string x = node.input(0), y = node.output(0);
  pb::NodeProto flatten = node, shape = node;
  flatten.set_op_type("Flatten");
  setAttribute(flatten, "axis", axis);
  flatten.set_output(0, getFreshName(y + "_rows"));
  node.set_input(0, flatten.output(0));
  node.set_output(0, getFreshName(y + "_flat"));
  shape.set_op_type("Shape");
  shape.clear_attribute();
  shape.set_output(0, getFreshName(y + "_shape"));
  pb::NodeProto reshape = shape;
  reshape.set_op_type("Reshape");
  reshape.set_input(0, node.output(0));
  reshape.add_input(shape.output(0));
  reshape.set_output(0, y);
  nodes.push_back(std::move(flatten));
  nodes.push_back(std::move(shape));
  nodes.push_back(std::move(node));
  node = std::move(reshape);
}

/// Up to operator set 9; an element came from the place times its scale,
/// rounded down.
void Upgrader::resizeUpsample(pb::NodeProto &node, StringRef, int) {
  node.set_op_type("Resize");
  resizeAsUpsample(node, "", 0);
}

/// Resize of operator set 10 had no region of interest.
void Upgrader::resizeAsUpsample(pb::NodeProto &node, StringRef, int) {
  if (node.input_size() == 2) {
    std::string scales = node.input(1);
    node.set_input(1, "");
    node.add_input(std::move(scales));
  }
  setAttribute(node, "coordinate_transformation_mode", "asymmetric");
  setAttribute(node, "nearest_mode", "floor");
}

/// Operator set 6 said `is_test`, by default that it trains.
void Upgrader::trainDropout(pb::NodeProto &node, StringRef, int) {
  std::optional<pb::AttributeProto> isTest = take(node, "is_test");
  if (!isTest || isTest->i() == 0) {
    pb::TensorProto &tensor = addTensor(node, "trains", 2);
    tensor.set_data_type(pb::TensorProto::BOOL);
    tensor.add_int32_data(1);
  }
}

void Upgrader::expectOne(pb::NodeProto &node, StringRef attribute, int) {
  std::optional<pb::AttributeProto> given = take(node, attribute);
  bool isOne = given ? given->i() == 1 : attribute == "spatial";
  if (!isOne) {
    error(node) << "expected " << attribute << " = 1, got 0 at operator set "
                << opset
                << "; convert the file to a newer one with "
                   "onnx.version_converter, or export it again";
  }
}

/// One that trains has more outputs than one.
void Upgrader::sayMode(pb::NodeProto &node, StringRef, int) {
  if (node.output_size() == 1) {
    setAttribute(node, "training_mode", int64_t{0});
  }
}

/// Gives the second input as many dimensions of 1 in the end as it needs to
/// begin at the first one's `axis`. Shapes are not known yet: the rank is the
/// shape of the shape.
void Upgrader::alignSecond(pb::NodeProto &node, int64_t axis) {
  if (node.input_size() != 2 || node.output_size() != 1) {
    return; // what checks the model says so
  }
  std::string shape = addNode(node, "Shape", {node.input(1)});
  std::string rank = addNode(
      node, "Shape", {addNode(node, "Shape", {std::string(node.input(0))})});
  std::string behind =
      addNode(node, "Sub", {rank, addInteger(node.output(0) + "_axis", axis)});
  behind = addNode(node, "Sub", {behind, addNode(node, "Shape", {shape})});
  std::string ones =
      addNode(node, "Expand", {addInteger(node.output(0) + "_one", 1), behind});
  std::string all = addNode(node, "Concat", {shape, ones});
  setAttribute(nodes.back(), "axis", int64_t{0});
  node.set_input(1, addNode(node, "Reshape", {node.input(1), all}));
}

/// The slopes of operator set 6 were those of channels.
void Upgrader::broadcastSlope(pb::NodeProto &node, StringRef, int) {
  alignSecond(node, 1);
}

/// Operands of operator set 6 were broadcast where `broadcast` said so, from
/// `axis` on; by default as they are today.
void Upgrader::broadcastFromAxis(pb::NodeProto &node, StringRef, int) {
  std::optional<pb::AttributeProto> broadcast = take(node, "broadcast");
  std::optional<pb::AttributeProto> axis = take(node, "axis");
  if (!broadcast || broadcast->i() == 0 || !axis) {
    return;
  }
  if (axis->i() < 0) {
    error(node) << "expected an axis of 0 or more, got " << axis->i()
                << " at operator set " << opset
                << "; convert the file to a newer one with "
                   "onnx.version_converter, or export it again";
    return;
  }
  alignSecond(node, axis->i());
}

/// Scan of operator set 8 had a batch in front of everything, and the length of
/// each of its sequences. One of a single sequence is the Scan of today.
void Upgrader::dropBatch(pb::NodeProto &node, StringRef, int) {
  if (node.input_size() == 0 || node.output_size() == 0) {
    return; // what checks the model says so
  }
  if (!node.input(0).empty()) {
    error(node) << "expected no sequence_lens at operator set " << opset
                << "; convert the file to a newer one with "
                   "onnx.version_converter, or export it again";
    return;
  }
  if (std::optional<pb::AttributeProto> given = take(node, "directions")) {
    given->set_name("scan_input_directions");
    *node.add_attribute() = *given;
  }
  std::string first = addInteger(node.output(0) + "_batch", 0);
  node.mutable_input()->DeleteSubrange(0, 1);
  for (std::string &input : *node.mutable_input()) {
    input = addNode(node, "Squeeze", {input, first});
  }
  std::vector<pb::NodeProto> results;
  for (std::string &output : *node.mutable_output()) {
    pb::NodeProto &result = results.emplace_back();
    result.set_name(node.name());
    result.set_op_type("Unsqueeze");
    result.add_output(output);
    output = getFreshName(output + "_scan");
    result.add_input(output);
    result.add_input(first);
  }
  nodes.push_back(std::exchange(node, results.back()));
  results.pop_back();
  nodes.insert(nodes.end(), results.begin(), results.end());
}

} // namespace

LogicalResult upgradeOperators(pb::ModelProto &model, MLIRContext &context) {
  int64_t opset = defaultOpset(model);
  if (opset >= convertedOpset) {
    return success();
  }
  LogicalResult result = Upgrader(model, opset, context).run();
  for (pb::OperatorSetIdProto &entry : *model.mutable_opset_import()) {
    if (getDomain(entry.domain()).empty()) {
      entry.set_version(convertedOpset);
    }
  }
  return result;
}

} // namespace accel::onnx
