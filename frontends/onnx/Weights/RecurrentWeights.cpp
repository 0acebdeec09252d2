// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Per node: reads its call, finds which parameters stand in which rows, cuts
// the bytes; then adds the initializers and nodes to the graph.
#include "frontends/onnx/Weights/RecurrentWeights.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/GraphAdditions.h"
#include "frontends/onnx/Model/Metadata.h"
#include "frontends/onnx/Weights/ExternalData.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// An operator whose gates PyTorch has in another order.
struct RecurrentOperator {
  llvm::StringLiteral op, aten;
  int64_t order[4]; ///< PyTorch's number of each of ONNX's gates
  int64_t gates;
};
constexpr RecurrentOperator operators[] = {{"LSTM", "lstm", {0, 3, 1, 2}, 4},
                                           {"GRU", "gru", {1, 0, 2}, 3}};

/// What one layer's call says.
struct Layer {
  const RecurrentOperator *kind = nullptr;
  int64_t directions = 1, kinds = 2; ///< of parameters per direction: 2 or 4
  SmallVector<StringRef> parameters; ///< by direction, then W, R, Wb, Rb
};

/// The layer `number` of the call of `node`; none if the call does not tell.
/// lstm(x, (h, c), parameters, has_biases, num_layers, dropout, train,
/// bidirectional, batch_first)
std::optional<Layer> readLayer(const FxCall &call, StringRef op, int64_t number,
                               const GraphSignature &signature) {
  const auto *kind = llvm::find_if(operators, [&](const auto &each) {
    return each.op == op && call.isAten(each.aten);
  });
  if (kind == std::end(operators) || call.arguments.size() < 8) {
    return std::nullopt;
  }
  StringRef list = call.arguments[2];
  int64_t layers = 0;
  if (!list.consume_front("[") || !list.consume_back("]") ||
      call.arguments[4].getAsInteger(10, layers)) {
    return std::nullopt;
  }
  Layer layer;
  layer.kind = kind;
  layer.kinds = call.arguments[3] == "True" ? 4 : 2;
  layer.directions = call.arguments[7] == "True" ? 2 : 1;
  SmallVector<StringRef> names;
  list.split(names, ',');
  int64_t each = layer.kinds * layer.directions;
  if (number >= layers || static_cast<int64_t>(names.size()) != each * layers) {
    return std::nullopt;
  }
  for (StringRef name : ArrayRef(names).slice(number * each, each)) {
    layer.parameters.push_back(signature.findParameter(name.trim()));
    if (layer.parameters.back().empty()) {
      return std::nullopt;
    }
  }
  return layer;
}

class Separator {
public:
  Separator(pb::GraphProto &graph, StringRef path, MLIRContext &context,
            ImportNotes &notes)
      : graph(graph), signature(GraphSignature::parse(graph)), path(path),
        context(context), notes(notes), additions(graph) {
    for (const pb::TensorProto &tensor : graph.initializer()) {
      initializers[tensor.name()] = tensor;
    }
  }

  LogicalResult run() {
    llvm::StringMap<int64_t> layersOf; // by the name of the call
    for (pb::NodeProto &node : *graph.mutable_node()) {
      std::optional<FxCall> call = getFxCall(node);
      bool isRecurrent = llvm::any_of(operators, [&](const auto &each) {
        return each.op == StringRef(node.op_type());
      });
      if (!call || !isRecurrent) {
        continue;
      }
      std::optional<Layer> layer =
          readLayer(*call, node.op_type(), layersOf[call->name]++, signature);
      if (layer && failed(separate(node, *layer))) {
        return failure();
      }
    }
    rewrite();
    return success();
  }

private:
  LogicalResult separate(pb::NodeProto &node, const Layer &layer);
  LogicalResult separateInput(pb::NodeProto &node, int input,
                              const Layer &layer);
  /// The bytes of an initializer; empty if its file is absent.
  FailureOr<std::string> readBytes(const pb::TensorProto &tensor,
                                   RankedTensorType type);
  LogicalResult addParameter(StringRef name, const pb::TensorProto &source,
                             ArrayRef<int64_t> shape, std::string bytes);
  /// A Split of each parameter; the gates of all in ONNX's order.
  SmallVector<std::string> addSplits(ArrayRef<StringRef> parameters,
                                     const std::string &sizes,
                                     const RecurrentOperator &kind);
  std::string addJoined(ArrayRef<StringRef> parameters,
                        const pb::TensorProto &source, const Layer &layer);
  void rewrite();

  InFlightDiagnostic error(StringRef initializer) {
    return emitCodedError(UnknownLoc::get(&context), codes::WeightFile)
           << path << ": initializer '" << initializer << "': ";
  }

  pb::GraphProto &graph;
  GraphSignature signature;
  StringRef path;
  MLIRContext &context;
  ImportNotes &notes;
  GraphAdditions additions;
  llvm::StringMap<pb::TensorProto> initializers; ///< as they were in the file
  llvm::StringSet<> replaced;
  llvm::StringMap<const pb::TensorProto *> separated; ///< by parameter
  llvm::StringMap<std::string> joined; ///< by the parameters, joined by spaces
};

LogicalResult Separator::separate(pb::NodeProto &node, const Layer &layer) {
  for (int input = 1; input <= 3 && input < node.input_size(); ++input) {
    if (failed(separateInput(node, input, layer))) {
      return failure();
    }
  }
  return success();
}

/// The bytes of a parameter in PyTorch's order of gates.
static std::string reorder(StringRef held, const RecurrentOperator &kind) {
  size_t block = held.size() / kind.gates;
  std::string own(held.size(), '\0');
  for (int64_t gate = 0; gate < kind.gates; ++gate) {
    own.replace(kind.order[gate] * block, block,
                held.substr(gate * block, block).str());
  }
  return own;
}

LogicalResult Separator::separateInput(pb::NodeProto &node, int input,
                                       const Layer &layer) {
  auto found = initializers.find(node.input(input));
  bool isBias = input == 3;
  if (found == initializers.end() || (isBias && layer.kinds != 4)) {
    return success();
  }
  const pb::TensorProto &tensor = found->second;
  llvm::Expected<RankedTensorType> type = getTensorType(context, tensor);
  if (!type) {
    return error(tensor.name()) << llvm::toString(type.takeError());
  }
  int64_t halves = isBias ? 2 : 1, rows = layer.kind->gates * halves;
  if (type->getRank() != (isBias ? 2 : 3) ||
      type->getDimSize(0) != layer.directions ||
      type->getDimSize(1) % rows != 0) {
    return success();
  }
  FailureOr<std::string> bytes = readBytes(tensor, *type);
  if (failed(bytes)) {
    return failure();
  }
  SmallVector<int64_t> shape(type->getShape().drop_front());
  shape[0] /= halves;
  size_t size = bytes->size() / (layer.directions * halves);
  SmallVector<StringRef> parameters;
  for (int64_t part = 0; part < layer.directions * halves; ++part) {
    int64_t d = part / halves, half = part % halves;
    parameters.push_back(layer.parameters[d * layer.kinds + input - 1 + half]);
    StringRef held = StringRef(*bytes).substr(part * size, size);
    if (failed(addParameter(parameters.back(), tensor, shape,
                            reorder(held, *layer.kind)))) {
      return failure();
    }
  }
  node.set_input(input, addJoined(parameters, tensor, layer));
  replaced.insert(tensor.name());
  return success();
}

FailureOr<std::string> Separator::readBytes(const pb::TensorProto &tensor,
                                            RankedTensorType type) {
  if (tensor.data_location() != pb::TensorProto::EXTERNAL) {
    pb::TensorProto copy = tensor;
    llvm::Expected<TensorBytes> bytes =
        getInlineBytes(copy, type, /*steal=*/true);
    if (!bytes) {
      return error(tensor.name()) << llvm::toString(bytes.takeError());
    }
    return *bytes->contents;
  }
  llvm::Expected<ExternalLocation> located = locateExternalData(
      tensor, llvm::sys::path::parent_path(path),
      type.getNumElements() * getElementSize(type.getElementType()));
  if (!located) {
    return error(tensor.name()) << llvm::toString(located.takeError());
  }
  if (located->absent) {
    return std::string();
  }
  auto buffer = located->bytes.read();
  if (!buffer) {
    return error(tensor.name()) << llvm::toString(buffer.takeError());
  }
  return (*buffer)->getBuffer().str();
}

/// A layer that is called twice has its weights twice.
LogicalResult Separator::addParameter(StringRef name,
                                      const pb::TensorProto &source,
                                      ArrayRef<int64_t> shape,
                                      std::string bytes) {
  if (initializers.contains(name)) {
    return success();
  }
  auto [entry, isNew] = separated.try_emplace(name, nullptr);
  if (!isNew) {
    if (entry->second->raw_data() != bytes) {
      return error(source.name())
             << "expected the values of parameter '" << name
             << "', of which it is a copy, got others";
    }
    return success();
  }
  additions.claim(name);
  pb::TensorProto &tensor =
      additions.addTensor(name, source.data_type(), shape);
  entry->second = &tensor;
  if (!bytes.empty()) {
    tensor.set_raw_data(std::move(bytes));
    return success();
  }
  // The same file, of which it is only told that it is absent.
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  for (const auto &field : source.external_data()) {
    if (field.key() == "location") {
      *tensor.add_external_data() = field;
    }
  }
  return success();
}

SmallVector<std::string> Separator::addSplits(ArrayRef<StringRef> parameters,
                                              const std::string &sizes,
                                              const RecurrentOperator &kind) {
  SmallVector<std::string> ordered;
  for (StringRef parameter : parameters) {
    SmallVector<std::string> gates;
    for (int64_t gate = 0; gate < kind.gates; ++gate) {
      gates.push_back(additions.getFreshName(parameter.str() + "_gate" +
                                             std::to_string(gate)));
    }
    additions.addNode("separate_" + parameter.str(), "Split",
                      {parameter.str(), sizes}, gates);
    for (int64_t gate = 0; gate < kind.gates; ++gate) {
      ordered.push_back(gates[kind.order[gate]]);
    }
  }
  return ordered;
}

/// The value that is what `source` was.
std::string Separator::addJoined(ArrayRef<StringRef> parameters,
                                 const pb::TensorProto &source,
                                 const Layer &layer) {
  std::string &value = joined[llvm::join(parameters, " ")];
  if (!value.empty()) {
    return value;
  }
  int64_t gates = layer.kind->gates;
  std::string first = parameters.front().str();
  int64_t rows = source.dims(1) / gates;
  rows /= source.dims_size() == 2 ? 2 : 1;
  std::string sizes = additions.addIntegers(
      first + "_gates", SmallVector<int64_t>(gates, rows), gates);
  SmallVector<std::string> ordered = addSplits(parameters, sizes, *layer.kind);
  std::string together = additions.getFreshName(first + "_rows");
  addAttribute(additions.addNode("join_" + first, "Concat", ordered, together),
               "axis", 0);
  SmallVector<int64_t> shape(source.dims().begin(), source.dims().end());
  std::string sizesOfAll = additions.addIntegers(
      first + "_shape", shape, static_cast<int64_t>(shape.size()));
  value = additions.getFreshName(first + "_joined");
  additions.addNode("stack_" + first, "Reshape", {together, sizesOfAll}, value);
  return value;
}

void Separator::rewrite() {
  if (additions.isEmpty()) {
    return;
  }
  llvm::StringSet<> used;
  for (const pb::NodeProto &node : graph.node()) {
    used.insert(node.input().begin(), node.input().end());
  }
  auto isGone = [&](const auto &each) {
    return replaced.contains(each.name()) && !used.contains(each.name());
  };
  llvm::erase_if(*graph.mutable_initializer(), isGone);
  llvm::erase_if(*graph.mutable_value_info(), isGone);
  additions.addAll();
  std::vector<std::string> list;
  for (const auto &[name, tensor] : separated) {
    list.push_back(name.str());
  }
  llvm::sort(list);
  addCountedRemark(
      notes,
      "weight of recurrent layers that the exporter joined and reordered has "
      "its name and order back",
      "weights of recurrent layers that the exporter joined and reordered "
      "have their names and order back",
      std::move(list));
}

} // namespace

LogicalResult separateRecurrentWeights(pb::GraphProto &graph, StringRef path,
                                       MLIRContext &context,
                                       ImportNotes &notes) {
  return Separator(graph, path, context, notes).run();
}

} // namespace accel::onnx
