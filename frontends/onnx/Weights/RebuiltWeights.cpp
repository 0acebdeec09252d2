// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the constants, finds a recipe for each of their readers, then adds
// initializers and nodes.
#include "frontends/onnx/Weights/RebuiltWeights.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Weights/FoldedOrigins.h"
#include "frontends/onnx/Weights/FoldedRecipe.h"
#include "frontends/onnx/Weights/LostParameters.h"
#include "frontends/onnx/Weights/ModelWeights.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace mlir;

namespace accel::onnx {
namespace {

using Step = RecipeStep::Kind;

/// A reader of a constant, and what it reads instead.
struct Reader {
  pb::NodeProto *node;
  int input;
};

/// A constant and the values that take its place: its own, and those of
/// parameters whose constants were equal and merged with it.
struct Rebuilt {
  std::string initializer;
  std::vector<int64_t> shape;
  Recipe recipe;
  std::vector<Reader> readers; ///< none: those of the initializer's name
};

class Rebuilder {
public:
  Rebuilder(pb::GraphProto &graph, StringRef path, const ImportOptions &options,
            MLIRContext &context, ImportNotes &notes)
      : graph(graph), path(path), saved(*options.saved), context(context),
        notes(notes),
        // What is a sum with 1 is proven by its bits.
        index(graph, options.batchNorm,
              [](const pb::TensorProto &) { return true; }),
        signature(GraphSignature::parse(graph)), lost(graph, index, signature) {
    for (const pb::TensorProto &tensor : graph.initializer()) {
      names.insert(tensor.name());
    }
    for (const pb::NodeProto &node : graph.node()) {
      names.insert(node.output().begin(), node.output().end());
    }
  }

  LogicalResult run() {
    for (const pb::TensorProto &tensor : graph.initializer()) {
      InitializerRole role = classifyInitializer(tensor, index, signature);
      if (isWanted(tensor, role) && failed(rebuild(tensor))) {
        return failure();
      }
    }
    if (!refused.empty()) {
      return report();
    }
    if (!rebuilt.empty()) {
      rewrite();
      tell();
    }
    return success();
  }

private:
  bool isWanted(const pb::TensorProto &tensor,
                const InitializerRole &role) const;
  /// The parameters that `tensor` was computed of.
  std::vector<std::string> listParameters(const pb::TensorProto &tensor) const;
  bool readsUnderItsName(const pb::NodeProto &node,
                         const pb::TensorProto &tensor) const;
  LogicalResult rebuild(const pb::TensorProto &tensor);
  /// Of a reader of what was merged with `tensor`.
  llvm::Error rebuildMerged(const pb::TensorProto &tensor,
                            const FoldedConstant &constant, Reader reader);
  llvm::Expected<Recipe> find(ArrayRef<std::string> parameters,
                              const FoldedConstant &constant);
  llvm::Expected<const std::vector<uint32_t> *> readFloats(StringRef name);
  std::vector<std::vector<int64_t>> readIndices(ArrayRef<std::string> origins);
  void refuse(const pb::TensorProto &tensor, ArrayRef<std::string> parameters,
              llvm::Error reason);
  LogicalResult report();

  void rewrite();
  void addParameter(StringRef name);
  void addNodes(const Rebuilt &each, const std::string &result);
  std::string addWeightNorm(const Rebuilt &each, const std::string &result);
  std::string addNode(StringRef op, ArrayRef<std::string> inputs,
                      std::string output);
  void addType(StringRef value, ArrayRef<int64_t> shape);
  void addAttribute(StringRef name, ArrayRef<int64_t> values, bool isList);
  std::string addIntegers(StringRef name, ArrayRef<int64_t> values,
                          ArrayRef<int64_t> shape);
  std::string addOne(StringRef name);
  std::string getFreshName(std::string name) {
    while (!names.insert(name).second) {
      name += "_";
    }
    return name;
  }
  void tell();

  pb::GraphProto &graph;
  StringRef path;
  const SavedParameters &saved;
  MLIRContext &context;
  ImportNotes &notes;
  GraphIndex index;
  GraphSignature signature;
  LostParameters lost;
  llvm::StringSet<> names; ///< of all values
  std::map<std::string, std::vector<uint32_t>, std::less<>> floats; ///< saved
  std::vector<Rebuilt> rebuilt;
  std::vector<std::string> refused; ///< for people
  std::vector<pb::NodeProto> nodes; ///< to add
};

/// Everything that recovery refuses; sums, of which it knows the rounded terms;
/// and views of one parameter that readers of others share.
bool Rebuilder::isWanted(const pb::TensorProto &tensor,
                         const InitializerRole &role) const {
  if (role.role == InitializerRole::Role::Untraceable) {
    return !index.getOrigins(tensor.name()).empty();
  }
  if (role.role != InitializerRole::Role::Parameter ||
      tensor.data_type() != pb::TensorProto::FLOAT) {
    return false;
  }
  bool isMerged = role.parameter.isNamedByNode &&
                  llvm::any_of(index.getUses(tensor.name()),
                               [&](const GraphIndex::Use &use) {
                                 return !readsUnderItsName(*use.node, tensor);
                               });
  return isMerged || role.parameter.kind == RecoveredParameter::Kind::Shifted;
}

std::vector<std::string>
Rebuilder::listParameters(const pb::TensorProto &tensor) const {
  std::vector<std::string> parameters;
  for (std::string &origin : index.getOrigins(tensor.name())) {
    if (signature.isParameter(origin)) {
      parameters.push_back(std::move(origin));
    }
  }
  return parameters;
}

/// Whether the call that became `node` was given the constant itself: its own
/// FX node or, where the constant stands inside what one call became, a
/// parameter that it was computed of.
bool Rebuilder::readsUnderItsName(const pb::NodeProto &node,
                                  const pb::TensorProto &tensor) const {
  std::optional<FxCall> call = getFxCall(node);
  if (!call) {
    return false;
  }
  if (llvm::is_contained(call->getValues(), "%" + tensor.name())) {
    return true;
  }
  return isFxNodeName(tensor.name(), "val") &&
         llvm::any_of(call->getValues(), [&](StringRef value) {
           return llvm::is_contained(listParameters(tensor),
                                     signature.findParameter(value));
         });
}

llvm::Expected<const std::vector<uint32_t> *>
Rebuilder::readFloats(StringRef name) {
  auto known = floats.find(name);
  if (known != floats.end()) {
    return &known->second;
  }
  auto tensor = saved.tensors.find(name.str());
  if (tensor == saved.tensors.end()) {
    return llvm::createStringError("'" + saved.path + "' has no '" + name +
                                   "'");
  }
  if (tensor->second.elementType != "f32") {
    return llvm::createStringError("expected f32 under '" + name + "' in '" +
                                   saved.path + "', got " +
                                   tensor->second.elementType);
  }
  llvm::Expected<std::string> bytes = tensor->second.read();
  if (!bytes) {
    return bytes.takeError();
  }
  std::vector<uint32_t> &bits = floats[name.str()];
  bits.resize(bytes->size() / sizeof(uint32_t));
  std::memcpy(bits.data(), bytes->data(), bits.size() * sizeof(uint32_t));
  return &bits;
}

/// Tensors of integers that were folded and that the state dict has: buffers of
/// indices. What cannot be read is no evidence.
std::vector<std::vector<int64_t>>
Rebuilder::readIndices(ArrayRef<std::string> origins) {
  std::vector<std::vector<int64_t>> all;
  for (const std::string &origin : origins) {
    auto tensor = saved.tensors.find(origin);
    if (tensor == saved.tensors.end() || tensor->second.elementType != "i64") {
      continue;
    }
    llvm::Expected<std::string> bytes = tensor->second.read();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      continue;
    }
    all.emplace_back(bytes->size() / sizeof(int64_t));
    std::memcpy(all.back().data(), bytes->data(),
                all.back().size() * sizeof(int64_t));
  }
  return all;
}

llvm::Expected<Recipe> Rebuilder::find(ArrayRef<std::string> parameters,
                                       const FoldedConstant &constant) {
  std::vector<SavedValue> values;
  for (const std::string &name : parameters) {
    llvm::Expected<const std::vector<uint32_t> *> bits = readFloats(name);
    if (!bits) {
      return bits.takeError();
    }
    values.push_back({name, {saved.tensors.at(name).shape, **bits}});
  }
  return findRecipe(values, constant);
}

LogicalResult Rebuilder::rebuild(const pb::TensorProto &tensor) {
  std::vector<std::string> parameters = listParameters(tensor);
  if (tensor.data_type() != pb::TensorProto::FLOAT) {
    refuse(tensor, parameters,
           llvm::createStringError("only f32 is computed again, got " +
                                   getDataTypeName(tensor.data_type())));
    return success();
  }
  FailureOr<std::string> bytes = readConstant(tensor, path, context);
  if (failed(bytes)) {
    return failure();
  }
  std::vector<uint32_t> bits(bytes->size() / sizeof(uint32_t));
  std::memcpy(bits.data(), bytes->data(), bits.size() * sizeof(uint32_t));
  std::vector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  SmallVector<std::string> origins = index.getOrigins(tensor.name());
  FoldedConstant constant{{shape, bits}, {}, readIndices(origins)};
  origins.push_back(tensor.name());
  for (const std::string &origin : origins) {
    // Names with dots are those of the state dict and of lifted constants.
    if (!signature.isParameter(origin) && !signature.isBuffer(origin) &&
        !StringRef(origin).contains('.')) {
      constant.operators.push_back(getOperatorOfFxNode(origin).str());
    }
  }
  std::vector<Reader> merged;
  bool isRead = false;
  for (pb::NodeProto &node : *graph.mutable_node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      if (node.input(i) == tensor.name()) {
        bool isOwn = readsUnderItsName(node, tensor);
        isRead |= isOwn;
        if (!isOwn) {
          merged.push_back({&node, i});
        }
      }
    }
  }
  if (isRead || merged.empty()) {
    llvm::Expected<Recipe> recipe = find(parameters, constant);
    if (!recipe) {
      refuse(tensor, parameters, recipe.takeError());
      return success();
    }
    rebuilt.push_back({tensor.name(), shape, std::move(*recipe), {}});
  }
  for (Reader reader : merged) {
    if (llvm::Error error = rebuildMerged(tensor, constant, reader)) {
      refuse(tensor, parameters, std::move(error));
    }
  }
  return success();
}

llvm::Error Rebuilder::rebuildMerged(const pb::TensorProto &tensor,
                                     const FoldedConstant &constant,
                                     Reader reader) {
  std::string place = "'" + getNodeName(*reader.node) + "'";
  SmallVector<Recipe> found;
  std::string scope = getModuleScope(*reader.node);
  SmallVector<StringRef> candidates = lost.list(scope);
  std::vector<std::string> own = listParameters(tensor);
  if (own.size() == 1 && isParameterOf(own.front(), scope)) {
    candidates.push_back(own.front());
  }
  for (StringRef parameter : candidates) {
    llvm::Expected<Recipe> recipe = find({parameter.str()}, constant);
    if (recipe) {
      found.push_back(std::move(*recipe));
    } else {
      llvm::consumeError(recipe.takeError());
    }
  }
  if (found.size() != 1) {
    return llvm::createStringError(
        place + " reads something that is equal to it, and " +
        (found.empty() ? "no parameter" : "more than one parameter") +
        " of its module has these bits");
  }
  auto same = llvm::find_if(rebuilt, [&](const Rebuilt &each) {
    return each.initializer == tensor.name() && !each.readers.empty() &&
           each.recipe.parameter == found.front().parameter;
  });
  if (same != rebuilt.end()) {
    same->readers.push_back(reader);
  } else {
    rebuilt.push_back(
        {tensor.name(), constant.value.shape, found.front(), {reader}});
  }
  return llvm::Error::success();
}

void Rebuilder::refuse(const pb::TensorProto &tensor,
                       ArrayRef<std::string> parameters, llvm::Error reason) {
  refused.push_back("'" + tensor.name() + "' " + describeShape(tensor) +
                    " folded from '" + llvm::join(parameters, "', '") +
                    "': " + llvm::toString(std::move(reason)));
}

LogicalResult Rebuilder::report() {
  return emitCodedError(UnknownLoc::get(&context), codes::SavedParameters)
         << path << ": expected constants that follow from the tensors of '"
         << saved.path << "' bit by bit, got " << refused.size()
         << " that do not: " << llvm::join(refused, "; ")
         << "; save the state dict of the very module that is exported, or "
            "export the weights by name: torch.onnx.export(model, args, "
            "\"model.onnx\", dynamo=True, optimize=False)";
}

void Rebuilder::rewrite() {
  llvm::StringSet<> replaced;
  for (const Rebuilt &each : rebuilt) {
    replaced.insert(each.initializer);
  }
  auto isGone = [&](const auto &each) {
    return replaced.contains(each.name());
  };
  llvm::erase_if(*graph.mutable_initializer(), isGone);
  llvm::erase_if(*graph.mutable_value_info(), isGone); // says what they were
  for (const Rebuilt &each : rebuilt) {
    addParameter(each.recipe.parameter);
    if (!each.recipe.scale.empty()) {
      addParameter(each.recipe.scale);
    }
    std::string result = each.readers.empty()
                             ? each.initializer
                             : getFreshName(each.recipe.parameter + "_folded");
    addNodes(each, result);
    addType(result, each.shape);
    for (Reader reader : each.readers) {
      reader.node->set_input(reader.input, result);
    }
  }
  int before = graph.node_size();
  for (pb::NodeProto &node : nodes) {
    *graph.add_node() = std::move(node);
  }
  std::rotate(graph.mutable_node()->begin(),
              graph.mutable_node()->begin() + before,
              graph.mutable_node()->end());
}

void Rebuilder::addParameter(StringRef name) {
  if (!names.insert(name).second) {
    return;
  }
  const std::vector<uint32_t> &bits = floats.find(name)->second;
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name.str());
  tensor.set_data_type(pb::TensorProto::FLOAT);
  for (int64_t size : saved.tensors.at(name.str()).shape) {
    tensor.add_dims(size);
  }
  tensor.set_raw_data(bits.data(), bits.size() * sizeof(uint32_t));
}

std::string Rebuilder::addNode(StringRef op, ArrayRef<std::string> inputs,
                               std::string output) {
  pb::NodeProto &node = nodes.emplace_back();
  node.set_name("rebuild_" + output);
  node.set_op_type(op.str());
  for (const std::string &input : inputs) {
    node.add_input(input);
  }
  node.add_output(std::move(output));
  return node.output(0);
}

void Rebuilder::addType(StringRef value, ArrayRef<int64_t> shape) {
  pb::ValueInfoProto &info = *graph.add_value_info();
  info.set_name(value.str());
  pb::TypeProto_Tensor &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(pb::TensorProto::FLOAT);
  for (int64_t size : shape) {
    type.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

/// To the last node.
void Rebuilder::addAttribute(StringRef name, ArrayRef<int64_t> values,
                             bool isList) {
  pb::AttributeProto &attribute = *nodes.back().add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(isList ? pb::AttributeProto::INTS
                            : pb::AttributeProto::INT);
  if (isList) {
    *attribute.mutable_ints() = {values.begin(), values.end()};
  } else {
    attribute.set_i(values.front());
  }
}

std::string Rebuilder::addIntegers(StringRef name, ArrayRef<int64_t> values,
                                   ArrayRef<int64_t> shape) {
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(getFreshName(name.str()));
  tensor.set_data_type(pb::TensorProto::INT64);
  *tensor.mutable_dims() = {shape.begin(), shape.end()};
  *tensor.mutable_int64_data() = {values.begin(), values.end()};
  return tensor.name();
}

std::string Rebuilder::addOne(StringRef name) {
  pb::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(getFreshName(name.str()));
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_float_data(1.0f);
  return tensor.name();
}

void Rebuilder::addNodes(const Rebuilt &each, const std::string &result) {
  std::string value = each.recipe.parameter;
  for (const RecipeStep &step : each.recipe.steps) {
    bool isLast = &step == &each.recipe.steps.back();
    std::string output = isLast ? result : getFreshName(result + "_step");
    auto size = static_cast<int64_t>(step.integers.size());
    switch (step.kind) {
    case Step::Exp:
    case Step::Neg:
    case Step::Sigmoid:
      addNode(getStepName(step.kind), {value}, output);
      break;
    case Step::PlusOne:
      addNode("Add", {value, addOne(output + "_one")}, output);
      break;
    case Step::OneMinus:
      addNode("Sub", {addOne(output + "_one"), value}, output);
      break;
    case Step::WeightNorm:
      addWeightNorm(each, output);
      break;
    case Step::Transpose:
      addNode("Transpose", {value}, output);
      addAttribute("perm", step.integers, /*isList=*/true);
      break;
    case Step::Gather:
      addNode("Gather",
              {value, addIntegers(output + "_rows", step.integers, step.shape)},
              output);
      addAttribute("axis", {step.axis}, /*isList=*/false);
      break;
    case Step::Reshape:
      addNode("Reshape",
              {value, addIntegers(output + "_shape", step.integers, {size})},
              output);
      break;
    }
    value = output;
  }
}

/// v * (g / norm(v)), the norm by operators that all operator sets have alike.
std::string Rebuilder::addWeightNorm(const Rebuilt &each,
                                     const std::string &result) {
  const std::string &direction = each.recipe.parameter;
  const int64_t kept = each.recipe.steps.front().axis;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < saved.tensors.at(direction).shape.size(); ++i) {
    if (static_cast<int64_t>(i) != kept) {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  std::string squares =
      addNode("Mul", {direction, direction}, getFreshName(result + "_squares"));
  std::string sums =
      addNode("ReduceSum",
              {squares, addIntegers(result + "_axes", axes,
                                    {static_cast<int64_t>(axes.size())})},
              getFreshName(result + "_sums"));
  std::string norms = addNode("Sqrt", {sums}, getFreshName(result + "_norms"));
  std::string factors = addNode("Div", {each.recipe.scale, norms},
                                getFreshName(result + "_factors"));
  return addNode("Mul", {direction, factors}, result);
}

void Rebuilder::tell() {
  std::vector<std::string> list;
  for (const Rebuilt &each : rebuilt) {
    std::string parameters = each.recipe.parameter;
    if (!each.recipe.scale.empty()) {
      parameters += ", " + each.recipe.scale;
    }
    list.push_back(parameters + " (" + each.initializer + ")");
  }
  std::string text = tellCount(
      list.size(),
      "constant that the exporter computed of a parameter is computed of it "
      "again, with the same bits to begin with",
      "constants that the exporter computed of parameters are computed of them "
      "again, with the same bits to begin with");
  addRemark(notes, std::move(text), std::move(list));
}

} // namespace

LogicalResult rebuildFoldedWeights(pb::GraphProto &graph, StringRef path,
                                   const ImportOptions &options,
                                   MLIRContext &context, ImportNotes &notes) {
  return Rebuilder(graph, path, options, context, notes).run();
}

} // namespace accel::onnx
