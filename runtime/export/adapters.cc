// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs are small: each is in memory as a whole.
#include "runtime/export/adapters.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/io/safetensors.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kPairsFile = "adapter_model.safetensors";
constexpr absl::string_view kConfigFile = "adapter_config.json";
// PEFT's in front of the names of the model's modules.
constexpr absl::string_view kPeftPrefix = "base_model.model.";

const planpb::Parameter& ParameterAt(const PlanView& plan, uint32_t index) {
  return plan.manifest().parameters(static_cast<int>(index));
}

// `A` or `B` of a module, under PEFT's name.
SafetensorsSpec SpecOf(const PlanView& plan, const planpb::Adapter& adapter,
                       char half) {
  const planpb::Parameter& parameter =
      ParameterAt(plan, half == 'A' ? adapter.a() : adapter.b());
  return {absl::StrCat(kPeftPrefix, adapter.module(), ".lora_",
                       std::string(1, half), ".weight"),
          DType::kF32,
          {parameter.shape().begin(), parameter.shape().end()}};
}

std::vector<SafetensorsSpec> SpecsOf(const PlanView& plan) {
  std::vector<SafetensorsSpec> specs;
  for (const planpb::Adapter& adapter : plan.manifest().adapters().added()) {
    specs.push_back(SpecOf(plan, adapter, 'A'));
    specs.push_back(SpecOf(plan, adapter, 'B'));
  }
  return specs;
}

std::map<std::string, std::string> PeftMetadata() { return {{"format", "pt"}}; }

// All elements of a parameter, or none where the rank only gives its parts.
absl::StatusOr<std::vector<float>> ReadAll(const PlanView& plan,
                                           const ParameterReader& reader,
                                           uint32_t index, bool gives_only) {
  const planpb::Parameter& parameter = ParameterAt(plan, index);
  ASSIGN_OR_RETURN(const auto place, FindParameter(plan, parameter, "master"));
  if (!place || place->dtype != DType::kF32) {
    return absl::UnimplementedError(absl::StrCat(
        "parameter '", parameter.name(), "' is not stored as f32"));
  }
  std::vector<float> values(gives_only ? 0 : place->elements);
  RETURN_IF_ERROR(
      reader(parameter, *place, 0, place->elements,
             absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(float))));
  return values;
}

const planpb::Adapter* FindAdapter(const planpb::Manifest& manifest,
                                   uint32_t weight) {
  for (const planpb::Adapter& adapter : manifest.adapters().added()) {
    if (adapter.weight() == weight) {
      return &adapter;
    }
  }
  return nullptr;
}

// Row i and column j of the product B A lie at weight[i, j], or [j, i] where
// the weight is turned. Sums are made in double and rounded once.
void AddProduct(const std::vector<float>& a, const std::vector<float>& b,
                uint64_t rank, double scale, bool turned,
                absl::Span<std::byte> weight) {
  const uint64_t in = a.size() / rank;
  const uint64_t out = b.size() / rank;
  std::vector<double> row(in);
  for (uint64_t i = 0; i < out; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (uint64_t k = 0; k < rank; ++k) {
      const double factor = b[i * rank + k];
      for (uint64_t j = 0; j < in; ++j) {
        row[j] += factor * a[k * in + j];
      }
    }
    for (uint64_t j = 0; j < in; ++j) {
      std::byte* element =
          &weight[(turned ? j * out + i : i * in + j) * sizeof(float)];
      float value = 0;
      std::memcpy(&value, element, sizeof value);
      value = static_cast<float>(value + scale * row[j]);
      std::memcpy(element, &value, sizeof value);
    }
  }
}

}  // namespace

bool IsAdapterFile(absl::string_view path) {
  return FileName(path) == kPairsFile;
}

std::string AdapterConfigPath(absl::string_view path) {
  return absl::StrCat(path.substr(0, path.size() - kPairsFile.size()),
                      kConfigFile);
}

absl::Status CheckAdapters(const PlanView& plan) {
  if (plan.manifest().has_adapters()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("expected a plan with adapters of accelc --lora for a file "
                   "of the name ",
                   kPairsFile,
                   ", got one without; name the file of all weights "
                   "otherwise"));
}

absl::StatusOr<uint64_t> AdapterFileBytes(const PlanView& plan) {
  return SafetensorsWriter::FileBytes(SpecsOf(plan), PeftMetadata());
}

std::string AdapterConfig(const planpb::Manifest& manifest) {
  const planpb::Adapters& adapters = manifest.adapters();
  std::vector<std::string> modules;
  bool fan_in_fan_out = false;
  for (const planpb::Adapter& adapter : adapters.added()) {
    modules.push_back(adapter.module());
    fan_in_fan_out |= adapter.fan_in_fan_out();
  }
  nlohmann::ordered_json config = {{"peft_type", "LORA"},
                                   {"task_type", nullptr},
                                   {"base_model_name_or_path", nullptr},
                                   {"inference_mode", true},
                                   {"r", adapters.rank()},
                                   {"lora_alpha", adapters.alpha()},
                                   {"lora_dropout", adapters.dropout()},
                                   {"target_modules", modules},
                                   {"fan_in_fan_out", fan_in_fan_out},
                                   {"bias", "none"},
                                   {"use_rslora", false},
                                   {"modules_to_save", nullptr},
                                   {"init_lora_weights", true}};
  // PEFT writes whole numbers as such.
  const auto whole =
      static_cast<int64_t>(std::clamp(adapters.alpha(), -1e15, 1e15));
  if (static_cast<double>(whole) == adapters.alpha()) {
    config["lora_alpha"] = whole;
  }
  return config.dump(2, ' ', /*ensure_ascii=*/false,
                     nlohmann::json::error_handler_t::replace) +
         "\n";
}

absl::Status WriteAdapters(Vfs& vfs, const PlanView& plan,
                           const ParameterReader& reader,
                           const std::string& path, ExportRole role) {
  const bool gives_only = role == ExportRole::kGiver;
  std::unique_ptr<SafetensorsWriter> writer;
  if (!gives_only) {
    ASSIGN_OR_RETURN(writer, SafetensorsWriter::Create(vfs, path, SpecsOf(plan),
                                                       PeftMetadata()));
  }
  for (const planpb::Adapter& adapter : plan.manifest().adapters().added()) {
    for (const char half : {'A', 'B'}) {
      ASSIGN_OR_RETURN(
          const std::vector<float> values,
          ReadAll(plan, reader, half == 'A' ? adapter.a() : adapter.b(),
                  gives_only));
      if (writer != nullptr) {
        RETURN_IF_ERROR(writer->Append(
            SpecOf(plan, adapter, half).name,
            absl::MakeConstSpan(
                reinterpret_cast<const std::byte*>(values.data()),
                values.size() * sizeof(float))));
      }
    }
  }
  if (writer == nullptr) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(writer->Finish());
  return WriteFileAtomically(vfs, AdapterConfigPath(path),
                             AdapterConfig(plan.manifest()));
}

absl::Status AddAdapter(const PlanView& plan, const ParameterReader& reader,
                        uint32_t index, absl::Span<std::byte> values) {
  const planpb::Manifest& manifest = plan.manifest();
  const planpb::Adapter* adapter = FindAdapter(manifest, index);
  if (adapter == nullptr) {
    return absl::OkStatus();
  }
  const bool gives_only = values.empty();
  ASSIGN_OR_RETURN(const std::vector<float> a,
                   ReadAll(plan, reader, adapter->a(), gives_only));
  ASSIGN_OR_RETURN(const std::vector<float> b,
                   ReadAll(plan, reader, adapter->b(), gives_only));
  if (!gives_only) {
    const planpb::Adapters& all = manifest.adapters();
    AddProduct(a, b, all.rank(), all.alpha() / static_cast<double>(all.rank()),
               adapter->fan_in_fan_out(), values);
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
