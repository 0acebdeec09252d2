// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Protobuf's JSON inside a small frame of our own.
#include "tools/accel-inspect/plan_json.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"
#include "tools/accel-inspect/schedule_json.h"

namespace accel::tools {
namespace {

// Of the frame; `format` is that of the plan. Changes when a program that reads
// this JSON could misunderstand it.
constexpr int kJsonVersion = 4;

absl::StatusOr<std::string> MessageJson(
    const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) {
    return absl::InternalError(status.ToString());
  }
  return json;
}

nlohmann::ordered_json MemoryJson(const runtime::Plan& plan,
                                  const runtime::MemoryLayout& layout) {
  nlohmann::ordered_json memory;
  for (int i = 1; i <= runtime::kMemoryClasses; ++i) {
    const auto memory_class = static_cast<planpb::MemoryClass>(i);
    memory[std::string(runtime::MemoryClassName(memory_class))] =
        layout.PlacedBytes(memory_class);
  }
  uint64_t transient = 0;
  for (const planpb::Arena& arena : plan.manifest().arenas()) {
    if (arena.space() != planpb::SPACE_SHARED) {
      transient += arena.bytes();
    }
  }
  memory["transient"] = transient;
  memory["shared"] = layout.SharedBytes();
  memory["staging"] = layout.staging().BytesOfRank();
  memory["total"] = layout.TotalBytes();
  return memory;
}

}  // namespace

absl::StatusOr<std::string> PlanJson(const runtime::Plan& plan,
                                     const runtime::MemoryLayout& layout) {
  ASSIGN_OR_RETURN(const std::string manifest, MessageJson(plan.manifest()));
  std::string json =
      absl::StrCat("{\"version\":", kJsonVersion, ",\"format\":\"",
                   plan.content().header().Version(), "\",\"sha256\":\"",
                   runtime::ToHex(plan.root()),
                   "\",\"memory_bytes\":", MemoryJson(plan, layout).dump(),
                   ",\"manifest\":", manifest, ",\"functions\":[");
  absl::string_view between_functions = "";
  for (const runtime::FunctionView& function : plan.view().functions()) {
    absl::StrAppend(&json, between_functions,
                    "{\"name\":", nlohmann::json(function.name()).dump(),
                    ",\"instructions\":[");
    absl::string_view between = "";
    for (const planpb::Instruction& instruction : function.instructions()) {
      ASSIGN_OR_RETURN(const std::string text, MessageJson(instruction));
      absl::StrAppend(&json, between, text);
      between = ",";
    }
    ASSIGN_OR_RETURN(const std::string schedule,
                     ScheduleJson(plan.view(), function, layout));
    absl::StrAppend(&json, "],\"schedule\":", schedule, "}");
    between_functions = ",";
  }
  return absl::StrCat(json, "]}");
}

}  // namespace accel::tools
