// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the constants, finds a recipe for each of their readers, then lets
// these read what follows from the recipes.
#include "frontends/onnx/Weights/RebuiltWeights.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/GraphAdditions.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Weights/FoldedOrigins.h"
#include "frontends/onnx/Weights/LostParameters.h"
#include "frontends/onnx/Weights/ModelWeights.h"
#include "frontends/onnx/Weights/RecipeNodes.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>
#include <map>

using namespace mlir;

namespace accel::onnx {
namespace {

template <typename T> std::vector<T> toNumbers(StringRef bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

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
        index(graph, [](const pb::TensorProto &) { return true; }),
        signature(GraphSignature::parse(graph)), lost(graph, index, signature),
        additions(graph) {}

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
  void addType(StringRef value, ArrayRef<int64_t> shape);
  void tell();

  pb::GraphProto &graph;
  StringRef path;
  const SavedParameters &saved;
  MLIRContext &context;
  ImportNotes &notes;
  GraphIndex index;
  GraphSignature signature;
  LostParameters lost;
  GraphAdditions additions;
  std::map<std::string, std::vector<uint32_t>, std::less<>> floats; ///< saved
  std::vector<Rebuilt> rebuilt;
  std::vector<std::string> refused; ///< for people
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
  return &(floats[name.str()] = toNumbers<uint32_t>(*bytes));
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
    all.push_back(toNumbers<int64_t>(*bytes));
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
  std::vector<uint32_t> bits = toNumbers<uint32_t>(*bytes);
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
    std::string result =
        each.readers.empty()
            ? each.initializer
            : additions.getFreshName(each.recipe.parameter + "_folded");
    addRecipe(additions, each.recipe,
              saved.tensors.at(each.recipe.parameter).shape.size(), result);
    addType(result, each.shape);
    for (Reader reader : each.readers) {
      reader.node->set_input(reader.input, result);
    }
  }
  additions.addAll();
}

void Rebuilder::addParameter(StringRef name) {
  if (!additions.claim(name)) {
    return;
  }
  const std::vector<uint32_t> &bits = floats.find(name)->second;
  pb::TensorProto &tensor = additions.addTensor(
      name, pb::TensorProto::FLOAT, saved.tensors.at(name.str()).shape);
  tensor.set_raw_data(bits.data(), bits.size() * sizeof(uint32_t));
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

void Rebuilder::tell() {
  std::vector<std::string> list;
  for (const Rebuilt &each : rebuilt) {
    std::string parameters = each.recipe.parameter;
    if (!each.recipe.scale.empty()) {
      parameters += ", " + each.recipe.scale;
    }
    list.push_back(parameters + " (" + each.initializer + ")");
  }
  addCountedRemark(
      notes,
      "constant that the exporter computed of a parameter is computed of it "
      "again, with the same bits to begin with",
      "constants that the exporter computed of parameters are computed of them "
      "again, with the same bits to begin with",
      std::move(list));
}

} // namespace

LogicalResult rebuildFoldedWeights(pb::GraphProto &graph, StringRef path,
                                   const ImportOptions &options,
                                   MLIRContext &context, ImportNotes &notes) {
  return Rebuilder(graph, path, options, context, notes).run();
}

} // namespace accel::onnx
