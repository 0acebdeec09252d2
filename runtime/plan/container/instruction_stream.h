// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of an instruction section: records of a varint length and an
// Instruction each, so that no message grows with the length of a function.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_INSTRUCTION_STREAM_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_INSTRUCTION_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Appends one record, deterministically serialised.
void AppendInstruction(const planpb::Instruction& instruction,
                       std::string& section);

// Exactly `count` records, or an error that names the record at fault.
absl::StatusOr<std::vector<planpb::Instruction>> DecodeInstructions(
    absl::string_view section, uint32_t count);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_INSTRUCTION_STREAM_H_
