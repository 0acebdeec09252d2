// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as JSON.
#include "nlohmann/json.hpp"
#include "tools/accel-inspect/trace_text.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

// Changes when a program that reads this JSON could misunderstand it.
constexpr int kProfileVersion = 1;

void AddCost(const StepCost& cost, Json& json) {
  json["runs"] = cost.executions;
  json["ms"] = cost.ns() * 1e-6;
  json["forward_ms"] = cost.forward_ns * 1e-6;
  json["backward_ms"] = cost.backward_ns * 1e-6;
  json["update_ms"] = cost.update_ns * 1e-6;
  json["other_ms"] = cost.other_ns * 1e-6;
  json["flops"] = cost.flops;
  json["bytes"] = cost.bytes;
  json["roof_ms"] = cost.roof_ns == 0 ? Json() : Json(cost.roof_ns * 1e-6);
}

Json LaneJson(const LaneProfile& lane) {
  Json json;
  json["name"] = lane.name;
  json["busy_ms"] = lane.busy.ns() * 1e-6;
  json["waiting_ms"] = lane.waiting_ns * 1e-6;
  json["variation_ms"] = lane.variation_ns * 1e-6;
  json["modules"] = Json::array();
  for (const ModuleCost& module : lane.modules) {
    Json row = {{"module", module.module},
                {"label", module.label},
                {"depth", module.depth},
                {"layers", module.layers}};
    AddCost(module.cost, row);
    json["modules"].push_back(std::move(row));
  }
  json["instructions"] = Json::array();
  for (const GroupCost& group : lane.groups) {
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
  json["steps"] = profile.steps;
  json["step_ms"] = profile.step_ns * 1e-6;
  json["roof"] = nullptr;
  if (profile.roof) {
    json["roof"] = {{"flops_per_second", profile.roof->flops_per_second},
                    {"bytes_per_second", profile.roof->bytes_per_second}};
  }
  json["lanes"] = Json::array();
  for (const LaneProfile& lane : profile.lanes) {
    json["lanes"].push_back(LaneJson(lane));
  }
  return json.dump();
}

}  // namespace accel::tools
