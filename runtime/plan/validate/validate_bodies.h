// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of instructions' bodies that have most to check.
#ifndef ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_BODIES_H_
#define ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_BODIES_H_

#include "absl/status/status.h"
#include "runtime/plan/validate/instruction_accesses.h"

namespace accel::runtime {

// Sources, sizes and transposes of the pieces, and the access that they go to.
// Requires: accesses.Validate() accepted them, as below.
absl::Status ValidateLoad(const planpb::Manifest& manifest,
                          const InstructionAccesses& accesses,
                          const planpb::Load& load);

// What is moved, over which axes, what for, and the accesses of both ends.
absl::Status ValidateCollective(const planpb::Manifest& manifest,
                                const InstructionAccesses& accesses,
                                const planpb::Collective& collective);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_BODIES_H_
