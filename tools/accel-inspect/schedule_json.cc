// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule as JSON, numbers and names instead of protobuf's conventions.
#include "tools/accel-inspect/schedule_json.h"

#include <vector>

#include "runtime/base/status_macros.h"
#include "runtime/plan/cost/instruction_cost.h"
#include "runtime/plan/schema/instruction_names.h"
#include "tools/accel-inspect/schedule.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

Json InstructionJson(const runtime::PlanView& plan, const Schedule& schedule,
                     const planpb::Instruction& instruction) {
  Json json;
  json["id"] = instruction.id();
  json["name"] = instruction.name();
  json["stream"] =
      instruction.has_repeat()
          ? Json()
          : Json(plan.manifest()
                     .streams(static_cast<int>(instruction.stream()))
                     .name());
  json["phase"] = runtime::PhaseName(instruction.phase());
  json["layer"] = instruction.layer_plus_one() == 0
                      ? Json()
                      : Json(instruction.layer_plus_one() - 1);
  json["waits"] = Json::array();
  for (const planpb::Wait& wait : instruction.waits()) {
    json["waits"].push_back(
        {{"event", wait.event()}, {"distance", wait.distance()}});
  }
  json["signals"] = Json::array();
  for (const uint32_t event : instruction.signals()) {
    json["signals"].push_back(event);
  }
  json["buckets"] = Json::array();
  for (const uint32_t bucket : schedule.buckets[instruction.id()]) {
    json["buckets"].push_back(
        plan.manifest().buckets(static_cast<int>(bucket)).name());
  }
  json["flops"] = runtime::FlopsOf(instruction);
  json["bytes_moved"] = instruction.bytes_moved();
  json["gathered"] = schedule.gathered[instruction.id()];
  return json;
}

Json ItemJson(const std::vector<ScheduleItem>& items,
              const std::optional<size_t>& index) {
  Json ids = Json::array();
  if (index) {
    for (const planpb::Instruction* instruction : items[*index].instructions) {
      ids.push_back(instruction->id());
    }
  }
  return ids;
}

}  // namespace

absl::StatusOr<nlohmann::ordered_json> ScheduleJson(
    const runtime::PlanView& plan, const runtime::FunctionView& function,
    const runtime::MemoryLayout& layout) {
  ASSIGN_OR_RETURN(const Schedule schedule,
                   MakeSchedule(plan, function, layout, /*fold=*/true));
  Json json;
  json["instructions"] = Json::array();
  for (const planpb::Instruction& instruction : function.instructions()) {
    json["instructions"].push_back(
        InstructionJson(plan, schedule, instruction));
  }
  json["rows"] = Json::array();
  for (const ScheduleRow& row : schedule.rows) {
    Json shown = {{"each_microbatch", row.repeated}};
    for (size_t stream = 0; stream < row.items.size(); ++stream) {
      shown[plan.manifest().streams(static_cast<int>(stream)).name()] =
          ItemJson(schedule.streams[stream], row.items[stream]);
    }
    shown["gathered"] = row.gathered;
    json["rows"].push_back(std::move(shown));
  }
  json["gathered"] = {
      {"most_in_program_order", schedule.peak.in_program_order.size()},
      {"most_in_any_timing", schedule.peak.in_any_timing.size()},
      {"largest_bytes", schedule.peak.largest_bytes}};
  return json;
}

}  // namespace accel::tools
