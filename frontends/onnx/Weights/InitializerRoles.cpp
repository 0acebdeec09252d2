// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evidence is weak where exporters record nothing, so each rule says what
// it takes for granted.
#include "frontends/onnx/Weights/InitializerRoles.h"

#include "frontends/onnx/Model/BatchNormMode.h"
#include "frontends/onnx/Weights/FoldedOrigins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace accel::onnx {
namespace {

constexpr llvm::StringLiteral kindKey =
    "pkg.torch.export.graph_signature.InputSpec.kind";
constexpr llvm::StringLiteral foldedKey =
    "pkg.onnxscript.optimizer.folded_from";

using Role = InitializerRole::Role;
using Kind = RecoveredParameter::Kind;

InitializerRole makeParameter(const pb::TensorProto &tensor,
                              llvm::StringRef name, Kind kind) {
  return {Role::Parameter,
          {kind, tensor.name(), name.str(), tensor.name(),
           kind == Kind::Transposed}};
}

/// TorchScript writes running statistics, rotary frequencies and the bias that
/// BART's kin add to their logits like parameters.
bool isBufferName(llvm::StringRef name) {
  constexpr llvm::StringLiteral leaves[] = {
      "running_mean",      "running_var", "inv_freq",
      "original_inv_freq", "masked_bias", "final_logits_bias"};
  size_t dot = name.rfind('.');
  return llvm::is_contained(
      leaves, dot == llvm::StringRef::npos ? name : name.drop_front(dot + 1));
}

/// Whether a use is that of a weight that a layer multiplies by.
bool isMatrixUse(const GraphIndex::Use &use) {
  llvm::StringRef op = use.node->op_type();
  bool isRecurrent = op == "LSTM" || op == "GRU" || op == "RNN";
  return isRecurrent ? use.input >= 1 && use.input <= 3
                     : (op == "MatMul" || op == "Gemm" || op == "Conv") &&
                           use.input == 1;
}

/// Whether `use` is what PyTorch does not differentiate by: the weights of a
/// loss's classes, how a tensor is resized, or which regions are read.
bool isSettingUse(const GraphIndex::Use &use) {
  llvm::StringRef op = use.node->op_type();
  if (op == "SoftmaxCrossEntropyLoss" || op == "NegativeLogLikelihoodLoss") {
    return use.input == 2;
  }
  return op == "RoiAlign"
             ? use.input == 1
             : (op == "Resize" || op == "Upsample") && use.input > 0;
}

bool isSetting(llvm::StringRef name, const GraphIndex &index) {
  llvm::ArrayRef<GraphIndex::Use> uses = index.getUses(name);
  return !uses.empty() && llvm::all_of(uses, isSettingUse);
}

/// Whether every use reads the transpose of a Linear weight, one of them that
/// of `parameter`: the others read parameters that were merged with it.
bool isLinearTranspose(const pb::TensorProto &tensor, llvm::StringRef parameter,
                       const GraphIndex &index,
                       const GraphSignature &signature) {
  bool isRead = false;
  for (const GraphIndex::Use &use : index.getUses(tensor.name())) {
    std::optional<FxCall> call = getFxCall(*use.node);
    bool isLinear = isMatrixUse(use) && use.node->op_type() != "Conv" &&
                    (!call || call->isAten("linear"));
    llvm::StringRef read = call && call->arguments.size() > 1
                               ? signature.findParameter(call->arguments[1])
                               : parameter;
    if (!isLinear || read.empty()) {
      return false;
    }
    isRead |= read == parameter;
  }
  return tensor.dims_size() == 2 && isRead;
}

/// The output of the FX node `embedding`, `embedding_1`, ... with nothing but
/// units before its rows.
bool isTableRows(const pb::TensorProto &tensor) {
  return isFxNodeName(tensor.name(), "embedding") && tensor.dims_size() >= 2 &&
         llvm::all_of(llvm::drop_end(tensor.dims(), 2),
                      [](int64_t dim) { return dim == 1; });
}

InitializerRole classifyFolded(const pb::TensorProto &tensor,
                               llvm::ArrayRef<std::string> origins,
                               const GraphIndex &index,
                               const GraphSignature &signature) {
  llvm::SmallVector<llvm::StringRef> parameters;
  for (llvm::StringRef origin : origins) {
    if (signature.isParameter(origin) ||
        index.getValueProperty(origin, kindKey) == "PARAMETER") {
      parameters.push_back(origin);
    }
  }
  if (parameters.empty()) {
    return {};
  }
  if (origins.size() == 1 &&
      isLinearTranspose(tensor, parameters.front(), index, signature)) {
    return makeParameter(tensor, parameters.front(), Kind::Transposed);
  }
  if (parameters.size() == 1 && isTableRows(tensor) &&
      !index.findInitializer(parameters.front())) {
    return makeParameter(tensor, parameters.front(), Kind::TableRows);
  }
  if (parameters.size() == 1) {
    if (auto holder = findFoldedParameter(tensor, parameters.front(), origins,
                                          index, signature)) {
      return {Role::Parameter, *holder};
    }
  }
  InitializerRole role{Role::Untraceable, {}};
  role.parameter.source = llvm::join(parameters, "', '");
  return role;
}

/// `encoder.layers.0.gate`: what a state dict calls its tensors. Constants have
/// names with other characters (`/encoder/Constant_output_0`), or numbers.
bool isStateDictPath(llvm::StringRef name) {
  auto isPart = [](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, [](char c) {
      return llvm::isAlnum(c) || c == '_';
    });
  };
  return !llvm::all_of(name, llvm::isDigit) &&
         llvm::all_of(llvm::split(name, '.'), isPart);
}

/// Files without a signature: named float tensors with dimensions are
/// parameters, as TorchScript writes them. It names nodes by the paths of
/// modules, with a slash in front; other exporters name constants as they like,
/// which mostly are scalars.
InitializerRole classifyByName(const pb::TensorProto &tensor,
                               const GraphIndex &index) {
  llvm::StringRef name = tensor.name();
  bool isConstant =
      tensor.dims_size() == 0 &&
      !(isStateDictPath(name) &&
        llvm::any_of(index.getUses(name), [](const GraphIndex::Use &use) {
          return llvm::StringRef(use.node->name()).starts_with("/");
        }));
  if (isConstant || isBufferName(name) || isSetting(name, index)) {
    return {};
  }
  if (isAnonymous(name)) {
    bool weight = llvm::any_of(index.getUses(name), isMatrixUse);
    return {weight ? Role::Untraceable : Role::Constant, {}};
  }
  return makeParameter(tensor, name, Kind::Plain);
}

/// Positions of parameters in the calls of ATen operators, per ONNX operator
/// and input.
struct Slot {
  llvm::StringLiteral aten;
  llvm::StringLiteral op;
  int input;
  unsigned argument;
};
constexpr Slot slots[] = {
    {"layer_norm", "LayerNormalization", 1, 2},
    {"layer_norm", "LayerNormalization", 2, 3},
    {"addmm", "Gemm", 1, 2},
    {"addmm", "Gemm", 2, 0},
    {"conv1d", "Conv", 2, 2},
    {"conv2d", "Conv", 2, 2},
    {"conv3d", "Conv", 2, 2},
    {"convolution", "Conv", 2, 2},
    {"conv_transpose1d", "ConvTranspose", 2, 2},
    {"conv_transpose2d", "ConvTranspose", 2, 2},
    {"conv_transpose3d", "ConvTranspose", 2, 2},
    {"convolution", "ConvTranspose", 2, 2},
    {"linear", "Gemm", 1, 1},
    {"linear", "Gemm", 2, 2},
    {"linear", "MatMul", 1, 1},
    {"linear", "Add", 0, 2},
    {"linear", "Add", 1, 2},
    {"embedding", "Gather", 0, 0},
    {"prelu", "PRelu", 1, 1},
    {"group_norm", "Mul", 1, 2},
    {"group_norm", "Add", 1, 3},
    {"index", "GatherND", 0, 0},
};

llvm::StringRef leafOf(llvm::StringRef name) {
  return name.contains('.') ? name.rsplit('.').second : name;
}

/// For operators without a slot: the only parameter of the call, or the only
/// one with this last component.
std::string findByLeaf(const FxCall &call, llvm::StringRef mergedName,
                       const GraphSignature &signature) {
  llvm::SmallVector<llvm::StringRef> all, sameLeaf;
  for (llvm::StringRef argument : call.arguments) {
    llvm::StringRef parameter = signature.findParameter(argument);
    if (!parameter.empty() && !mergedName.empty()) {
      all.push_back(parameter);
      if (leafOf(parameter) == leafOf(mergedName)) {
        sameLeaf.push_back(parameter);
      }
    }
  }
  return sameLeaf.size() == 1 ? sameLeaf.front().str()
         : all.size() == 1    ? all.front().str()
                              : std::string();
}

/// All calls of batch norms have their inputs in ONNX's order.
llvm::StringRef findBatchNormInput(const FxCall &call, int input,
                                   const GraphSignature &signature) {
  size_t index = static_cast<size_t>(input);
  if (input < 1 || input > 4 || index >= call.arguments.size()) {
    return {};
  }
  llvm::StringRef argument = call.arguments[index];
  return input < 3 ? signature.findParameter(argument)
                   : signature.findBuffer(argument);
}

} // namespace

GraphIndex::GraphIndex(const pb::GraphProto &graph, OneTest holdsOne)
    : holdsOne(std::move(holdsOne)) {
  for (const pb::TensorProto &tensor : graph.initializer()) {
    initializers[tensor.name()] = &tensor;
  }
  for (const pb::NodeProto &node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      if (initializers.contains(node.input(i))) {
        uses[node.input(i)].push_back({&node, i});
      }
    }
  }
  for (const pb::ValueInfoProto &value : graph.value_info()) {
    properties[value.name()] = &value.metadata_props();
  }
  for (const pb::TensorProto &tensor : graph.initializer()) {
    llvm::SmallVector<std::string> origins = getOrigins(tensor.name());
    if (origins.size() == 1) {
      copies.try_emplace(origins.front(), &tensor);
    }
  }
}

llvm::SmallVector<std::string>
GraphIndex::getOrigins(llvm::StringRef name) const {
  return parseStringList(getValueProperty(name, foldedKey));
}

bool GraphIndex::isOne(llvm::StringRef name) const {
  const pb::TensorProto *constant = findInitializer(name);
  constant = constant ? constant : copies.lookup(name);
  return constant &&
         llvm::all_of(constant->dims(), [](int64_t dim) { return dim == 1; }) &&
         holdsOne(*constant);
}

llvm::ArrayRef<GraphIndex::Use>
GraphIndex::getUses(llvm::StringRef name) const {
  auto found = uses.find(name);
  return found == uses.end() ? llvm::ArrayRef<Use>()
                             : llvm::ArrayRef<Use>(found->second);
}

bool GraphIndex::isStatistic(llvm::StringRef name) const {
  return llvm::any_of(getUses(name), [](const Use &use) {
    return isRunningStatistic(*use.node, use.input);
  });
}

llvm::StringRef GraphIndex::getValueProperty(llvm::StringRef name,
                                             llvm::StringRef key) const {
  auto found = properties.find(name);
  return found == properties.end() ? llvm::StringRef()
                                   : findProperty(*found->second, key);
}

bool isAnonymous(llvm::StringRef name) {
  return name.starts_with("onnx::") && llvm::isDigit(name.back());
}

bool isFloatTensor(const pb::TensorProto &tensor) {
  int32_t type = tensor.data_type();
  return type == pb::TensorProto::FLOAT || type == pb::TensorProto::DOUBLE ||
         type == pb::TensorProto::FLOAT16 || type == pb::TensorProto::BFLOAT16;
}

InitializerRole classifyInitializer(const pb::TensorProto &tensor,
                                    const GraphIndex &index,
                                    const GraphSignature &signature) {
  llvm::StringRef kind = index.getValueProperty(tensor.name(), kindKey);
  bool isBuffer = kind == "BUFFER" || signature.isBuffer(tensor.name()) ||
                  isBufferName(tensor.name());
  if (isFloatTensor(tensor) && isBuffer && index.isStatistic(tensor.name())) {
    return makeParameter(tensor, tensor.name(), Kind::Plain);
  }
  if (!isFloatTensor(tensor) || kind == "BUFFER" || kind == "CONSTANT_TENSOR" ||
      signature.isBuffer(tensor.name())) {
    return {};
  }
  if (kind == "PARAMETER" || signature.isParameter(tensor.name())) {
    return makeParameter(tensor, tensor.name(), Kind::Plain);
  }
  llvm::SmallVector<std::string> origins = index.getOrigins(tensor.name());
  if (!origins.empty()) {
    return classifyFolded(tensor, origins, index, signature);
  }
  return signature.empty() ? classifyByName(tensor, index) : InitializerRole();
}

std::string findExpectedParameter(const pb::NodeProto &node, int input,
                                  llvm::StringRef mergedName,
                                  const GraphSignature &signature) {
  std::optional<FxCall> call = getFxCall(node);
  if (call && !signature.empty()) {
    if (node.op_type() == "BatchNormalization") {
      return findBatchNormInput(*call, input, signature).str();
    }
    for (const Slot &slot : slots) {
      if (slot.input == input && node.op_type() == slot.op.str() &&
          call->isAten(slot.aten) && slot.argument < call->arguments.size()) {
        return signature.findParameter(call->arguments[slot.argument]).str();
      }
    }
    return findByLeaf(*call, mergedName, signature);
  }
  // Without a signature the module's scope tells: h.1.ln_2 has no business with
  // h.0.ln_1.weight.
  std::string scope = getModuleScope(node);
  if (node.op_type() == "LayerNormalization" && input > 0 && !scope.empty() &&
      !mergedName.empty()) {
    return scope + "." + leafOf(mergedName).str();
  }
  return {};
}

} // namespace accel::onnx
