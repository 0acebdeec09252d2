// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Protobuf's JSON inside a small frame of our own.
#include "tools/accel-inspect/plan_json.h"

#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"
#include "tools/accel-inspect/schedule_json.h"

namespace accel::tools {
namespace {

// Of the frame; `format` is that of the plan. Changes when a program that reads
// this JSON could misunderstand it.
constexpr int kJsonVersion = 5;

// As protobuf's own JSON has it.
absl::StatusOr<nlohmann::ordered_json> MessageJson(
    const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) {
    return absl::InternalError(status.ToString());
  }
  auto parsed = nlohmann::ordered_json::parse(json, nullptr,
                                              /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    return absl::InternalError("protobuf wrote JSON that cannot be read");
  }
  return parsed;
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
  nlohmann::ordered_json json = {{"version", kJsonVersion},
                                 {"format", plan.content().header().Version()},
                                 {"sha256", runtime::ToHex(plan.root())},
                                 {"memory_bytes", MemoryJson(plan, layout)}};
  ASSIGN_OR_RETURN(json["manifest"], MessageJson(plan.manifest()));
  json["functions"] = nlohmann::ordered_json::array();
  for (const runtime::FunctionView& function : plan.view().functions()) {
    nlohmann::ordered_json shown = {
        {"name", function.name()},
        {"instructions", nlohmann::ordered_json::array()}};
    for (const planpb::Instruction& instruction : function.instructions()) {
      ASSIGN_OR_RETURN(nlohmann::ordered_json message,
                       MessageJson(instruction));
      shown["instructions"].push_back(std::move(message));
    }
    ASSIGN_OR_RETURN(shown["schedule"],
                     ScheduleJson(plan.view(), function, layout));
    json["functions"].push_back(std::move(shown));
  }
  return json.dump();
}

}  // namespace accel::tools
