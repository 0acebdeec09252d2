// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON, and one line behind it.
#include "runtime/checkpoint/manifest.h"

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"

namespace accel::runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kVersion = 1;
constexpr absl::string_view kFormat = "accel checkpoint";
constexpr absl::string_view kHashKey = ",\n \"sha256\": \"";
constexpr absl::string_view kEnd = "\"\n}\n";

std::string HashOf(absl::string_view text) {
  return ToHex(Sha256::Of(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(text.data()), text.size())));
}

Json ToJson(const CheckpointManifest& manifest) {
  Json json;
  json["format"] = std::string(kFormat);
  json["version"] = kVersion;
  json["step"] = manifest.step;
  json["samples"] = manifest.samples;
  json["skipped_steps"] = manifest.skipped_steps;
  json["seed"] = manifest.seed;
  json["shuffle"] = manifest.shuffle;
  json["global_batch"] = manifest.global_batch;
  json["horizon"] = manifest.horizon;
  json["ranks"] = manifest.ranks;
  json["accel_version"] = manifest.accel_version;
  json["optimizer"] = manifest.optimizer;
  json["plan_sha256"] = manifest.plan_sha256;
  json["data_sha256"] = manifest.data_sha256;
  json["files"] = Json::array();
  for (const CheckpointFile& file : manifest.files) {
    json["files"].push_back({{"name", file.name},
                             {"bytes", file.bytes},
                             {"header_sha256", file.header_sha256}});
  }
  json["scalars"] = Json::array();
  for (const CheckpointScalar& scalar : manifest.scalars) {
    json["scalars"].push_back(
        {{"name", scalar.name},
         {"dtype", scalar.dtype},
         {"bytes", absl::BytesToHexString(scalar.bytes)}});
  }
  return json;
}

CheckpointManifest FromJson(const Json& json) {
  CheckpointManifest manifest;
  json.at("step").get_to(manifest.step);
  json.at("samples").get_to(manifest.samples);
  json.at("skipped_steps").get_to(manifest.skipped_steps);
  json.at("seed").get_to(manifest.seed);
  json.at("shuffle").get_to(manifest.shuffle);
  json.at("global_batch").get_to(manifest.global_batch);
  json.at("horizon").get_to(manifest.horizon);
  json.at("ranks").get_to(manifest.ranks);
  json.at("accel_version").get_to(manifest.accel_version);
  json.at("optimizer").get_to(manifest.optimizer);
  json.at("plan_sha256").get_to(manifest.plan_sha256);
  json.at("data_sha256").get_to(manifest.data_sha256);
  for (const Json& file : json.at("files")) {
    manifest.files.push_back({file.at("name").get<std::string>(),
                              file.at("bytes").get<uint64_t>(),
                              file.at("header_sha256").get<std::string>()});
  }
  for (const Json& scalar : json.at("scalars")) {
    manifest.scalars.push_back(
        {scalar.at("name").get<std::string>(),
         scalar.at("dtype").get<std::string>(),
         absl::HexStringToBytes(scalar.at("bytes").get<std::string>())});
  }
  return manifest;
}

// What the hash is of: all but its own line. Empty: there is no such line.
absl::string_view Hashed(absl::string_view text) {
  const size_t tail = kHashKey.size() + 64 + kEnd.size();
  if (text.size() < tail) {
    return {};
  }
  const absl::string_view line = text.substr(text.size() - tail);
  const bool is_line = line.substr(0, kHashKey.size()) == kHashKey &&
                       line.substr(kHashKey.size() + 64) == kEnd;
  return is_line ? text.substr(0, text.size() - tail) : absl::string_view();
}

}  // namespace

std::string SerializeManifest(const CheckpointManifest& manifest) {
  std::string text = ToJson(manifest).dump(1);
  text.resize(text.size() - 2);  // "\n}"
  return absl::StrCat(text, kHashKey, HashOf(text), kEnd);
}

absl::StatusOr<CheckpointManifest> ParseManifest(absl::string_view text) {
  const absl::string_view hashed = Hashed(text);
  if (hashed.empty() ||
      text.substr(hashed.size() + kHashKey.size(), 64) != HashOf(hashed)) {
    return absl::DataLossError("its hash is not that of its text");
  }
  try {
    const Json json = Json::parse(text);
    const auto format = json.at("format").get<std::string>();
    const auto version = json.at("version").get<int64_t>();
    if (format != kFormat || version != kVersion) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected version ", kVersion, " of '", kFormat,
                       "', got version ", version, " of '", format,
                       "'; use the release of accel-run that wrote it"));
    }
    CheckpointManifest manifest = FromJson(json);
    for (const CheckpointFile& file : manifest.files) {
      if (file.name.empty() || absl::StrContains(file.name, '/')) {
        return absl::InvalidArgumentError(absl::StrCat(
            "expected files in its own folder, got '", file.name, "'"));
      }
    }
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is not what accel-run writes: ", error.what()));
  }
}

}  // namespace accel::runtime
