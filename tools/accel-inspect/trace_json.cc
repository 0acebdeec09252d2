// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as JSON.
#include "nlohmann/json.hpp"
#include "tools/accel-inspect/trace_text.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

// Changes when a program that reads this JSON could misunderstand it.
constexpr int kProfileVersion = 2;

void AddCost(const StepCost& cost, Json& json) {
  json["runs"] = cost.executions;
  json["ms"] = cost.ns() * 1e-6;
  json["forward_ms"] = cost.forward_ns * 1e-6;
  json["backward_ms"] = cost.backward_ns * 1e-6;
  json["update_ms"] = cost.update_ns * 1e-6;
  json["other_ms"] = cost.other_ns * 1e-6;
  json["flops"] = cost.flops;
  json["bytes"] = cost.bytes;
  json["roofline_ms"] =
      cost.roofline_ns == 0 ? Json() : Json(cost.roofline_ns * 1e-6);
}

Json StreamJson(const StreamProfile& stream) {
  Json json;
  json["name"] = stream.name;
  json["busy_ms"] = stream.busy.ns() * 1e-6;
  json["waiting_ms"] = stream.waiting_ns * 1e-6;
  json["variation_ms"] = stream.variation_ns * 1e-6;
  json["modules"] = Json::array();
  for (const ModuleCost& module : stream.modules) {
    Json row = {{"module", module.module},
                {"label", module.label},
                {"depth", module.depth},
                {"layers", module.layers}};
    AddCost(module.cost, row);
    json["modules"].push_back(std::move(row));
  }
  json["instructions"] = Json::array();
  for (const GroupCost& group : stream.groups) {
    Json row = {
        {"name", group.name}, {"phase", group.phase}, {"module", group.module}};
    AddCost(group.cost, row);
    json["instructions"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

std::string TraceJson(const TraceProfile& profile) {
  Json json;
  json["version"] = kProfileVersion;
  json["model"] = profile.model;
  json["rank"] = profile.rank;
  json["ranks"] = profile.ranks;
  json["threads"] = profile.threads;
  json["gpu"] = profile.gpu.empty() ? Json() : Json(profile.gpu);
  json["steps"] = profile.steps;
  json["step_ms"] = profile.step_ns * 1e-6;
  json["roofline"] = nullptr;
  if (profile.roofline) {
    json["roofline"] = {
        {"flops_per_second", profile.roofline->flops_per_second},
        {"bytes_per_second", profile.roofline->bytes_per_second}};
  }
  json["streams"] = Json::array();
  for (const StreamProfile& stream : profile.streams) {
    json["streams"].push_back(StreamJson(stream));
  }
  return json.dump();
}

}  // namespace accel::tools
