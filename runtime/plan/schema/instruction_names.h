// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schema's names of what instructions are, for people.
#ifndef ACCEL_RUNTIME_PLAN_SCHEMA_INSTRUCTION_NAMES_H_
#define ACCEL_RUNTIME_PLAN_SCHEMA_INSTRUCTION_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// "forward"; empty for an instruction without a phase.
std::string PhaseName(planpb::Phase phase);

// "step"; "unknown" for what is no role.
absl::string_view RoleName(planpb::FunctionRole role);

// "all_gather"; "unknown" for what is no kind.
absl::string_view CollectiveKindName(planpb::Collective::Kind kind);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SCHEMA_INSTRUCTION_NAMES_H_
