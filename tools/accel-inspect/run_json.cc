// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run directory for programs.
#include <cmath>

#include "nlohmann/json.hpp"
#include "tools/accel-inspect/metrics_summary.h"
#include "tools/accel-inspect/run_text.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kJsonVersion = 1;

Json ErrorJson(const absl::Status& status) {
  return {{"error", std::string(status.message())}};
}

Json StepsJson(const absl::StatusOr<std::vector<MetricsStep>>& steps) {
  if (!steps.ok()) {
    return ErrorJson(steps.status());
  }
  if (steps->empty()) {
    return {{"taken", 0}};
  }
  const MetricRange loss = RangeOf(*steps, &MetricsStep::loss);
  const auto number = [&loss](double value) {
    return loss.first_step == 0 ? Json(nullptr) : Json(value);
  };
  return {{"taken", steps->back().step},
          {"last_time", steps->back().time},
          {"loss",
           {{"first", number(loss.first)},
            {"last", number(loss.last)},
            {"lowest", number(loss.lowest)},
            {"lowest_step", loss.lowest_step}}}};
}

Json CheckpointJson(const FoundCheckpoint& found) {
  Json json = {{"step", found.step},
               {"folder", found.folder},
               {"intact", found.IsIntact()},
               {"faults", found.faults}};
  if (!found.manifest) {
    return json;
  }
  const runtime::CheckpointManifest& manifest = *found.manifest;
  json["samples"] = manifest.samples;
  json["skipped_steps"] = manifest.skipped_steps;
  json["global_batch"] = manifest.global_batch;
  json["ranks"] = manifest.ranks;
  json["bytes"] = found.Bytes();
  json["optimizer"] = manifest.optimizer;
  json["accel_version"] = manifest.accel_version;
  json["plan_sha256"] = manifest.plan_sha256;
  json["data_sha256"] = manifest.data_sha256;
  json["files"] = Json::array();
  for (const runtime::CheckpointFile& file : manifest.files) {
    json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}});
  }
  return json;
}

}  // namespace

std::string RunJson(const RunContents& run) {
  Json json = {{"version", kJsonVersion}, {"run", run.path}};
  json["record"] =
      run.record.ok() ? run.record->json() : ErrorJson(run.record.status());
  json["steps"] = StepsJson(run.steps);
  json["verified"] = run.search == runtime::DamageSearch::kData;
  const FoundCheckpoint* newest = run.NewestIntact();
  json["newest_intact"] =
      newest == nullptr ? Json(nullptr) : Json(newest->step);
  json["checkpoints"] = Json::array();
  for (const FoundCheckpoint& each : run.checkpoints) {
    json["checkpoints"].push_back(CheckpointJson(each));
  }
  // Names of a stranger's files may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace accel::tools
