// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configuration first, then each tensor, widened to f32.
#include "compiler/AdapterFolder.h"

#include "dialects/Accel/IR/Adapters.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/io/safetensors.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;

namespace accel {
namespace {

constexpr StringLiteral kConfigFile = "adapter_config.json";
constexpr StringLiteral kWeightsFile = "adapter_model.safetensors";
/// PEFT's in front of the names of the model's modules.
constexpr StringLiteral kPrefix = "base_model.model.";
constexpr uint64_t kLargestConfig = uint64_t(1) << 20;
/// Of brackets in the configuration: PEFT's has three.
constexpr int kDeepestConfig = 32;

llvm::Error complain(const llvm::Twine &text) {
  return llvm::createStringError("--lora: " + text);
}

llvm::Error complain(const absl::Status &status) {
  return complain(llvm::Twine(std::string(status.message())));
}

/// Whether no bracket lies so deep that a parser could run out of stack.
bool isShallow(StringRef json) {
  int depth = 0;
  bool isString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (isString) {
      i += c == '\\' ? 1 : 0;
      isString = c != '"';
    } else {
      isString = c == '"';
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    if (depth > kDeepestConfig) {
      return false;
    }
  }
  return true;
}

/// How the pairs began. PEFT begins them in the same way whenever it loads the
/// folder, and some ways (pissa, olora, corda, loftq) take their first values
/// out of the model's own weights.
llvm::Error verifyBeginning(const llvm::json::Value &beginning,
                            StringRef path) {
  StringRef name = beginning.getAsString().value_or("");
  if (beginning.getAsBoolean() || beginning.kind() == llvm::json::Value::Null ||
      name.equals_insensitive("gaussian") || name == "eva" ||
      name == "orthogonal" || name == "lora_ga") {
    return llvm::Error::success();
  }
  return complain(
      path +
      ": expected 'init_lora_weights' to be true, false, gaussian, eva, "
      "orthogonal or lora_ga, got '" +
      name + "', " +
      (name.equals_insensitive("mica")
           ? "with which PEFT trains A alone; write true there, and "
             "--freeze='lora_B'"
           : "with which PEFT changes the model's own weights; convert the "
             "adapters with PEFT's save_pretrained(.., "
             "path_initial_model_for_weight_conversion=..)"));
}

/// What else than its default would train another model.
llvm::Error verifyChoices(const llvm::json::Object &config, StringRef path) {
  auto isOff = [](const llvm::json::Value &value) {
    const llvm::json::Object *object = value.getAsObject();
    const llvm::json::Array *array = value.getAsArray();
    return value.kind() == llvm::json::Value::Null ||
           value.getAsBoolean() == false || value.getAsString() == "none" ||
           (object && object->empty()) || (array && array->empty());
  };
  if (config.getString("peft_type") != "LORA") {
    return complain(path + ": expected peft_type LORA, got another or none");
  }
  for (StringRef choice :
       {"use_rslora", "use_dora", "use_qalora", "use_bdlora", "lora_bias",
        "bias", "modules_to_save", "rank_pattern", "alpha_pattern",
        "layer_replication", "alora_invocation_tokens", "target_parameters",
        "trainable_token_indices", "arrow_config", "kasa_config",
        "velora_config", "monteclora_config"}) {
    const llvm::json::Value *value = config.get(choice);
    if (value && !isOff(*value)) {
      return complain(path + ": expected '" + choice +
                      "' to be off, which accelc has no counterpart of; train "
                      "the adapters without it");
    }
  }
  const llvm::json::Value *beginning = config.get("init_lora_weights");
  return beginning ? verifyBeginning(*beginning, path) : llvm::Error::success();
}

llvm::Expected<AdapterOptions> readConfig(runtime::Vfs &vfs,
                                          const std::string &path) {
  absl::StatusOr<std::string> text =
      runtime::ReadWholeFile(vfs, path, kLargestConfig);
  if (!text.ok()) {
    return complain(text.status());
  }
  if (!isShallow(*text)) {
    return complain(path + ": expected the configuration of adapters, got "
                           "brackets that lie too deep for one");
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*text);
  if (!parsed) {
    return complain(path + ": expected JSON, got " +
                    llvm::toString(parsed.takeError()));
  }
  const llvm::json::Object *config = parsed->getAsObject();
  if (!config) {
    return complain(path + ": expected an object, got another value");
  }
  if (llvm::Error error = verifyChoices(*config, path)) {
    return error;
  }
  AdapterOptions options;
  options.rank = config->getInteger("r").value_or(0);
  options.alpha = config->getNumber("lora_alpha").value_or(0);
  options.dropout = config->getNumber("lora_dropout").value_or(0);
  if (llvm::Error error = options.verify()) {
    return error;
  }
  return options;
}

/// `base_model.model.h.0.attn.lora_A.weight` without what PEFT adds; empty if
/// it is none.
StringRef getPlanName(StringRef key) {
  if (!key.consume_front(kPrefix)) {
    return "";
  }
  return key.ends_with(".lora_A.weight") || key.ends_with(".lora_B.weight")
             ? key
             : "";
}

/// The bytes of the same numbers as f32.
std::string widen(ArrayRef<std::byte> bytes, runtime::DType dtype) {
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (dtype == runtime::DType::kF32) {
    return text.str();
  }
  const llvm::fltSemantics &semantics = dtype == runtime::DType::kF16
                                            ? llvm::APFloat::IEEEhalf()
                                            : llvm::APFloat::BFloat();
  std::string wide(text.size() * 2, '\0');
  for (size_t i = 0; i < text.size() / 2; ++i) {
    uint16_t narrow = llvm::support::endian::read16le(text.data() + 2 * i);
    llvm::APFloat number(semantics, llvm::APInt(16, narrow));
    bool isInexact = false;
    number.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &isInexact);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    llvm::support::endian::write32le(&wide[4 * i], bits);
  }
  return wide;
}

class FolderReader {
public:
  FolderReader(const runtime::SafetensorsReader &file, MLIRContext &context,
               onnx::WeightTable &weights)
      : file(file), context(context), weights(weights) {}

  llvm::Error read(AdapterOptions &options) {
    for (const runtime::SafetensorsEntry &entry : file.entries()) {
      if (llvm::Error error = readTensor(entry, options.rank)) {
        return error;
      }
    }
    for (const auto &[module, halves] : pairs) {
      if (halves != 3) {
        return complain(file.path() + ": expected lora_A and lora_B of '" +
                        module + "', got one of them");
      }
      options.modules.push_back(module);
    }
    return pairs.empty() ? complain(file.path() + ": expected adapters, got "
                                                  "no tensors")
                         : llvm::Error::success();
  }

private:
  llvm::Error readTensor(const runtime::SafetensorsEntry &entry, int64_t rank) {
    StringRef name = getPlanName(entry.name);
    if (name.empty()) {
      return complain(file.path() +
                      ": expected base_model.model.MODULE.lora_A.weight and "
                      "lora_B.weight alone, got '" +
                      entry.name + "'");
    }
    bool isA = name.ends_with(".lora_A.weight");
    if (entry.shape.size() != 2 || entry.shape[isA ? 0 : 1] != rank) {
      return complain(file.path() + ": '" + entry.name + "': expected " +
                      (isA ? "[rank, in]" : "[out, rank]") + " of rank " +
                      llvm::Twine(rank) + ", got another shape");
    }
    using runtime::DType;
    if (entry.dtype != DType::kF32 && entry.dtype != DType::kF16 &&
        entry.dtype != DType::kBF16) {
      return complain(file.path() + ": '" + entry.name +
                      "': expected F32, F16 or BF16, got " +
                      std::string(runtime::SafetensorsDTypeName(entry.dtype)));
    }
    std::vector<std::byte> bytes(entry.end - entry.begin);
    absl::Status status = file.Read(entry, 0, absl::MakeSpan(bytes));
    if (!status.ok()) {
      return complain(status);
    }
    insert(name, entry, bytes);
    constexpr size_t ending = sizeof(".lora_A.weight") - 1;
    pairs[name.drop_back(ending).str()] |= isA ? 1 : 2;
    return llvm::Error::success();
  }

  void insert(StringRef name, const runtime::SafetensorsEntry &entry,
              const std::vector<std::byte> &bytes) {
    onnx::WeightEntry weight;
    weight.type =
        RankedTensorType::get(entry.shape, Float32Type::get(&context));
    std::string wide = widen(bytes, entry.dtype);
    weight.bytes.length = wide.size();
    weight.bytes.contents =
        std::make_shared<const std::string>(std::move(wide));
    weights.insert(name, std::move(weight));
  }

  const runtime::SafetensorsReader &file;
  MLIRContext &context;
  onnx::WeightTable &weights;
  std::map<std::string, int> pairs; ///< 1: has A, 2: has B
};

} // namespace

std::vector<std::string> listAdapterFiles(StringRef folder) {
  return {runtime::JoinPath(folder.str(), kConfigFile.str()),
          runtime::JoinPath(folder.str(), kWeightsFile.str())};
}

llvm::Expected<AdapterOptions> readAdapterFolder(runtime::Vfs &vfs,
                                                 StringRef folder,
                                                 MLIRContext &context,
                                                 onnx::WeightTable &weights) {
  std::vector<std::string> files = listAdapterFiles(folder);
  if (absl::IsNotFound(vfs.Open(files[0], runtime::OpenMode::kRead).status())) {
    return complain("expected KEY=VALUE,..., for example "
                    "rank=8,alpha=16,targets=c_attn, or a folder that PEFT or "
                    "accel-run --export wrote, got '" +
                    folder + "', which has no " + kConfigFile);
  }
  llvm::Expected<AdapterOptions> options = readConfig(vfs, files[0]);
  if (!options) {
    return options;
  }
  auto file = runtime::SafetensorsReader::Open(vfs, files[1]);
  if (!file.ok()) {
    return complain(file.status());
  }
  if (llvm::Error error =
          FolderReader(**file, context, weights).read(*options)) {
    return error;
  }
  return options;
}

} // namespace accel
