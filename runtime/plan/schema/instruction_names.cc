// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names, in the order of the schema.
#include "runtime/plan/schema/instruction_names.h"

#include <array>

#include "absl/strings/ascii.h"

namespace accel::runtime {

std::string PhaseName(planpb::Phase phase) {
  if (phase == planpb::PHASE_UNSPECIFIED) {
    return "";
  }
  const std::string name = planpb::Phase_Name(phase);
  return absl::AsciiStrToLower(name.substr(name.find('_') + 1));
}

absl::string_view RoleName(planpb::FunctionRole role) {
  switch (role) {
    case planpb::FUNCTION_INITIALIZE:
      return "initialize";
    case planpb::FUNCTION_STEP:
      return "step";
    case planpb::FUNCTION_EVALUATE:
      return "evaluate";
    case planpb::FUNCTION_INFER:
      return "infer";
    case planpb::FUNCTION_COUNT:
      return "count";
    default:
      return "unknown";
  }
}

absl::string_view CollectiveKindName(planpb::Collective::Kind kind) {
  static constexpr std::array<absl::string_view, 10> kNames = {
      "unspecified", "all_gather", "reduce_scatter", "all_reduce", "broadcast",
      "all_to_all",  "permute",    "send",           "receive",    "barrier"};
  const auto index = static_cast<size_t>(kind);
  return index < kNames.size() ? kNames[index] : "unknown";
}

}  // namespace accel::runtime
