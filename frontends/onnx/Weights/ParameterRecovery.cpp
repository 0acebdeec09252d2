// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the role of every initializer, decides which uses want another
// parameter, then rewrites the graph.
#include "frontends/onnx/Weights/ParameterRecovery.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/BatchNormMode.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Weights/InitializerRoles.h"
#include "frontends/onnx/Weights/LostParameters.h"
#include "frontends/onnx/Weights/ModelWeights.h"
#include "frontends/onnx/Weights/RecoveryCheck.h"
#include "frontends/onnx/Weights/TensorData.h"
#include "frontends/onnx/Weights/Unfolding.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel::onnx {
namespace {

using Kind = RecoveredParameter::Kind;
using Role = InitializerRole::Role;

/// Whether a Linear layer's weight, [out, in] in PyTorch, must lie as [in, out]
/// to be this input.
bool readsTransposedLinear(const pb::NodeProto &node, int input) {
  std::optional<FxCall> call = getFxCall(node);
  bool transB =
      llvm::any_of(node.attribute(), [](const pb::AttributeProto &attribute) {
        return attribute.name() == "transB" && attribute.i();
      });
  return input == 1 && call && call->isAten("linear") && !transB &&
         (node.op_type() == "MatMul" || node.op_type() == "Gemm");
}

bool holdsOne(const pb::TensorProto &tensor, StringRef path,
              MLIRContext &context) {
  FailureOr<DenseElementsAttr> elements =
      readConstantElements(tensor, path, context);
  if (failed(elements) || elements->empty()) {
    return false;
  }
  Type type = elements->getElementType();
  return isa<FloatType>(type) ? llvm::all_of(elements->getValues<APFloat>(),
                                             [](const APFloat &value) {
                                               return value.isExactlyValue(1.0);
                                             })
         : type.isInteger(1)
             ? false
             : llvm::all_of(elements->getValues<APInt>(),
                            [](const APInt &value) { return value.isOne(); });
}

class ParameterFinder {
public:
  ParameterFinder(pb::GraphProto &graph, StringRef path, MLIRContext &context,
                  ImportNotes &notes)
      : graph(graph), index(graph,
                            [path, &context](const pb::TensorProto &tensor) {
                              return holdsOne(tensor, path, context);
                            }),
        signature(GraphSignature::parse(graph)), lost(graph, index, signature),
        path(path), context(context), notes(notes) {}

  Recovery run() {
    classify();
    // Initializers are added below; the index is not consulted any more, its
    // pointers may dangle.
    untieIdentities();
    for (pb::NodeProto &node : *graph.mutable_node()) {
      untieInputs(node);
      recreateBias(node);
    }
    reportUntraceable();
    recovery.isComplete &=
        checkRecovery({graph, index, signature, lost, recovery, path, context},
                      recovery.detached);
    addInitializers();
    unfoldParameters(graph, recovery);
    sortParameters();
    tell();
    return std::move(recovery);
  }

  /// As the file has them: nobody asks where they come from.
  Recovery keepInitializers() {
    for (const pb::TensorProto &tensor : graph.initializer()) {
      if (classifyInitializer(tensor, index, signature).role !=
          Role::Constant) {
        add({Kind::Plain, tensor.name(), tensor.name(), tensor.name(), false});
      }
    }
    return std::move(recovery);
  }

private:
  void classify();
  void untieIdentities();
  void untieInputs(pb::NodeProto &node);
  std::string findRead(const pb::NodeProto &node, int input,
                       const RecoveredParameter *found);
  const pb::TensorProto *findDeclaration(StringRef weight);
  void recreateBias(pb::NodeProto &node);
  void reportUntraceable();
  void addInitializers();
  void sortParameters();
  void tell();
  void tellAboutScalars();
  void warnAboutConstants();
  void warnAboutIdentities();

  void add(RecoveredParameter parameter) {
    recovery.byInitializer[parameter.initializer] = recovery.parameters.size();
    recovery.parameters.push_back(std::move(parameter));
  }
  static std::string getFreshName(StringRef parameter, bool isTransposed,
                                  bool isFolded) {
    return (parameter + (isTransposed ? "_transposed"
                         : isFolded   ? "_folded"
                                      : ""))
        .str();
  }

  pb::GraphProto &graph;
  GraphIndex index;
  GraphSignature signature;
  LostParameters lost;
  StringRef path;
  MLIRContext &context;
  ImportNotes &notes;
  Recovery recovery;
  llvm::StringMap<pb::TensorProto>
      floats; ///< type and shape of the float initializers of the file
  std::vector<pb::TensorProto> added;
  std::vector<std::string> untraceable; ///< for people
  std::vector<std::string> computed;    ///< constants of whatever
  bool namesParameters = false; ///< that untraceable ones were folded from
};

void ParameterFinder::classify() {
  for (const pb::TensorProto &tensor : graph.initializer()) {
    InitializerRole role = classifyInitializer(tensor, index, signature);
    if (role.role == Role::Parameter) {
      add(role.parameter);
    } else if (role.role == Role::Untraceable) {
      ArrayRef<GraphIndex::Use> uses = index.getUses(tensor.name());
      namesParameters |= !role.parameter.source.empty();
      untraceable.push_back(
          "'" + tensor.name() + "' " + describeShape(tensor) +
          (role.parameter.source.empty()
               ? ""
               : " folded from '" + role.parameter.source + "'") +
          (uses.empty() ? ""
                        : " at '" + getNodeName(*uses.front().node) + "'"));
    } else if (signature.empty() && isFloatTensor(tensor) &&
               isAnonymous(tensor.name())) {
      computed.push_back(tensor.name());
    }
    if (isFloatTensor(tensor)) {
      pb::TensorProto &declaration = floats[tensor.name()];
      declaration.set_data_type(tensor.data_type());
      *declaration.mutable_dims() = tensor.dims();
    }
  }
}

void ParameterFinder::reportUntraceable() {
  if (untraceable.empty()) {
    return;
  }
  recovery.isComplete = false;
  emitCodedError(UnknownLoc::get(&context), codes::FoldedWeights)
      << path << ": expected weights under their own names, got "
      << untraceable.size() << " that the exporter folded into constants: "
      << llvm::join(untraceable, ", ")
      << "; export them by name: " << kExportByName
      << (namesParameters ? "; or give accelc the state dict of the module: "
                            "--params model.safetensors"
                          : "");
}

/// Whether TorchScript gives such a name to a parameter, and not to a value
/// that it computes ("/h.0/Add_output_0", "onnx::Add_12", "12").
static bool isStateDictName(StringRef name) {
  return !name.empty() && !name.starts_with("/") &&
         !name.starts_with("onnx::") && !llvm::isDigit(name.front());
}

/// TorchScript in eval mode merges equal tensors and leaves an Identity that
/// has the lost parameter's name; what is tied in the model has none. Files
/// with a signature tell names there; their Identity nodes are copies
/// (`clone`).
void ParameterFinder::untieIdentities() {
  if (!signature.empty()) {
    return;
  }
  llvm::StringSet<> outputs;
  for (const pb::ValueInfoProto &output : graph.output()) {
    outputs.insert(output.name());
  }
  auto isMerged = [&](const pb::NodeProto &node) {
    return node.op_type() == "Identity" && node.input_size() == 1 &&
           node.output_size() == 1 && recovery.find(node.input(0)) &&
           floats.contains(node.input(0)) && isStateDictName(node.output(0)) &&
           !outputs.contains(node.output(0));
  };
  for (const pb::NodeProto &node : graph.node()) {
    if (isMerged(node)) {
      pb::TensorProto tensor = floats.find(node.input(0))->second;
      tensor.set_name(node.output(0));
      added.push_back(std::move(tensor));
      add({Kind::Untied, node.output(0), node.output(0), node.input(0), false});
    }
  }
  llvm::erase_if(*graph.mutable_node(), isMerged);
}

/// As findExpectedParameter; what the file does not tell is noted as an error.
std::string ParameterFinder::findRead(const pb::NodeProto &node, int input,
                                      const RecoveredParameter *found) {
  if (!found || !found->isNamedByNode) {
    return findExpectedParameter(
        node, input, found ? StringRef(found->parameter) : StringRef(),
        signature);
  }
  std::string read = lost.findRead(node, *found);
  if (read.empty()) {
    untraceable.push_back("'" + node.input(input) + "' folded from '" +
                          found->parameter + "' and others equal to it at '" +
                          getNodeName(node) + "'");
  }
  return read;
}

void ParameterFinder::untieInputs(pb::NodeProto &node) {
  for (int i = 0; i < node.input_size(); ++i) {
    auto declared = floats.find(node.input(i));
    if (declared == floats.end()) {
      continue;
    }
    const RecoveredParameter *found = recovery.find(node.input(i));
    std::string expected = findRead(node, i, found);
    if (expected.empty() || (found && found->parameter == expected)) {
      continue;
    }
    bool transposed =
        found ? found->transposed : readsTransposedLinear(node, i);
    bool isFolded = found && found->folding;
    std::string name = getFreshName(expected, transposed, isFolded);
    if (!recovery.find(name)) {
      RecoveredParameter untied{Kind::Untied, name, expected, node.input(i),
                                transposed};
      if (isFolded) {
        untied.folding = found->folding;
      } else {
        pb::TensorProto tensor = declared->second;
        tensor.set_name(name);
        added.push_back(std::move(tensor));
      }
      add(std::move(untied));
    }
    node.set_input(i, name);
  }
}

/// Type and shape of a weight that lies in the graph, was just untied, or is
/// computed of parameters; null if nothing says them.
const pb::TensorProto *ParameterFinder::findDeclaration(StringRef weight) {
  auto known = floats.find(weight);
  if (known != floats.end()) {
    return &known->second;
  }
  auto isIt = [&](const auto &each) { return weight == each.name(); };
  auto fresh = llvm::find_if(added, isIt);
  if (fresh != added.end()) {
    return &floats.try_emplace(weight, *fresh).first->second;
  }
  auto value = llvm::find_if(graph.value_info(), isIt);
  if (value == graph.value_info().end()) {
    return nullptr;
  }
  pb::TensorProto tensor;
  tensor.set_name(weight.str());
  tensor.set_data_type(value->type().tensor_type().elem_type());
  for (const auto &dim : value->type().tensor_type().shape().dim()) {
    if (dim.dim_value() < 1) {
      return nullptr;
    }
    tensor.add_dims(dim.dim_value());
  }
  return &floats.try_emplace(weight, std::move(tensor)).first->second;
}

/// The number of results of each sample and place that `node`, which reads a
/// weight of this shape, makes; none if it has no bias.
static std::optional<int64_t> countChannels(const pb::NodeProto &node,
                                            const pb::TensorProto &weight) {
  auto getNumber = [&](StringRef name, int64_t otherwise) {
    for (const pb::AttributeProto &attribute : node.attribute()) {
      if (attribute.name() == name) {
        return static_cast<int64_t>(attribute.i());
      }
    }
    return otherwise;
  };
  StringRef op = node.op_type();
  if (op == "Gemm" && weight.dims_size() == 2) {
    return weight.dims(getNumber("transB", 0) ? 0 : 1);
  }
  if (op == "Conv" && weight.dims_size() > 2) {
    return weight.dims(0);
  }
  if (op == "ConvTranspose" && weight.dims_size() > 2) {
    return weight.dims(1) * getNumber("group", 1);
  }
  return std::nullopt;
}

void ParameterFinder::recreateBias(pb::NodeProto &node) {
  bool hasBias = node.input_size() > 2 && !node.input(2).empty();
  if (hasBias || node.input_size() < 2) {
    return;
  }
  const pb::TensorProto *weight = findDeclaration(node.input(1));
  std::optional<int64_t> channels;
  if (weight) {
    channels = countChannels(node, *weight);
  }
  std::string bias =
      channels ? findExpectedParameter(node, 2, "", signature) : "";
  if (bias.empty()) {
    return;
  }
  if (!recovery.find(bias)) {
    pb::TensorProto tensor;
    tensor.set_name(bias);
    tensor.set_data_type(weight->data_type());
    tensor.add_dims(*channels);
    added.push_back(std::move(tensor));
    add({Kind::Recreated, bias, bias, "", false});
  }
  while (node.input_size() < 3) {
    node.add_input();
  }
  node.set_input(2, bias);
}

void ParameterFinder::addInitializers() {
  for (pb::TensorProto &tensor : added) {
    const RecoveredParameter *parameter = recovery.find(tensor.name());
    if (parameter->transposed) {
      // So that an importer of the exported file finds its way back.
      pb::ValueInfoProto &value = *graph.add_value_info();
      value.set_name(tensor.name());
      pb::StringStringEntryProto &entry = *value.add_metadata_props();
      entry.set_key("pkg.onnxscript.optimizer.folded_from");
      entry.set_value("['" + parameter->parameter + "']");
    }
    *graph.add_initializer() = std::move(tensor);
  }
}

void ParameterFinder::sortParameters() {
  auto rank = [&](const RecoveredParameter &parameter) {
    return signature.findParameterIndex(parameter.parameter)
        .value_or(std::numeric_limits<size_t>::max());
  };
  llvm::stable_sort(recovery.parameters, [&](const RecoveredParameter &a,
                                             const RecoveredParameter &b) {
    return rank(a) < rank(b);
  });
  for (auto [position, parameter] : llvm::enumerate(recovery.parameters)) {
    recovery.byInitializer[parameter.initializer] = position;
  }
}

void ParameterFinder::tell() {
  auto names = [&](Kind kind) {
    std::vector<std::string> list;
    for (const RecoveredParameter &parameter : recovery.parameters) {
      if (parameter.kind == kind) {
        list.push_back(kind == Kind::Plain
                           ? parameter.initializer
                           : parameter.parameter +
                                 (parameter.source.empty()
                                      ? ""
                                      : " (" + parameter.source + ")"));
      }
    }
    return list;
  };
  struct Repair {
    Kind kind;
    const char *one;
    const char *several;
  };
  const Repair repairs[] = {
      {Kind::Transposed,
       "weight that the exporter folded into a transposed constant has its "
       "name and orientation back",
       "weights that the exporter folded into transposed constants have their "
       "names and orientation back"},
      {Kind::TableRows,
       "table that the exporter folded into the rows it reads is a parameter "
       "of those rows",
       "tables that the exporter folded into the rows it reads are parameters "
       "of those rows"},
      {Kind::Reshaped,
       "weight that the exporter folded into a view has its name and shape "
       "back",
       "weights that the exporter folded into views have their names and "
       "shapes back"},
      {Kind::Shifted,
       "weight that the exporter folded into 1 + weight is itself again, but "
       "for digits that the sum lost",
       "weights that the exporter folded into 1 + weight are themselves again, "
       "but for digits that the sums lost"},
      {Kind::Untied,
       "parameter that the exporter merged with an equal one is separate again",
       "parameters that the exporter merged because they were equal are "
       "separate again"},
      {Kind::Recreated,
       "bias that the exporter deleted because it was zero is a parameter "
       "again, starting at zero",
       "biases that the exporter deleted because they were zero are parameters "
       "again, starting at zero"},
  };
  for (const Repair &repair : repairs) {
    addCountedRemark(notes, repair.one, repair.several, names(repair.kind));
  }
  tellAboutScalars();
  warnAboutConstants();
  warnAboutIdentities();
}

/// Whoever has a scalar buffer has to say so: TorchScript writes it alike.
void ParameterFinder::tellAboutScalars() {
  std::vector<std::string> scalars;
  for (const RecoveredParameter &parameter : recovery.parameters) {
    auto held = floats.find(parameter.initializer);
    if (signature.empty() && parameter.kind == Kind::Plain &&
        held != floats.end() && held->second.dims_size() == 0) {
      scalars.push_back(parameter.parameter);
    }
  }
  addCountedRemark(
      notes,
      "scalar with the name of a parameter or buffer is taken for a parameter; "
      "if it is a buffer, --freeze keeps it as it is",
      "scalars with names of parameters or buffers are taken for parameters; "
      "--freeze keeps those that are buffers as they are",
      std::move(scalars));
}

/// What TorchScript folded of parameters, or of buffers alone.
void ParameterFinder::warnAboutConstants() {
  if (!computed.empty()) {
    addWarning(notes, codes::FoldedConstants,
               "constants that the exporter computed of parameters or buffers "
               "do not train; if parameters are among them, export with "
               "training=torch.onnx.TrainingMode.TRAINING, "
               "do_constant_folding=False",
               std::move(computed));
  }
}

/// Other copies of parameters, of which nobody knows whether they are tied in
/// the model; a signature says it.
void ParameterFinder::warnAboutIdentities() {
  if (!signature.empty()) {
    return;
  }
  std::vector<std::string> merged;
  for (const pb::NodeProto &node : graph.node()) {
    if (node.op_type() == "Identity" && node.input_size() == 1 &&
        recovery.find(node.input(0)) &&
        !llvm::is_contained(merged, node.input(0))) {
      merged.push_back(node.input(0));
    }
  }
  if (!merged.empty()) {
    addWarning(notes, codes::MergedParameters,
               "parameters repeated by Identity nodes are trained as one; if "
               "they are not tied in the model, export with "
               "training=torch.onnx.TrainingMode.TRAINING or dynamo=True",
               std::move(merged));
  }
}

} // namespace

Recovery recoverParameters(pb::GraphProto &graph, StringRef path,
                           const ImportOptions &options, MLIRContext &context,
                           ImportNotes &notes) {
  ParameterFinder finder(graph, path, context, notes);
  return options.infers ? finder.keepInitializers() : finder.run();
}

} // namespace accel::onnx
