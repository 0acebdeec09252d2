// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that do not fit their kernels, made of ones that do.
#ifndef ACCEL_TEST_RUNTIME_PLAN_LAUNCH_DAMAGE_H_
#define ACCEL_TEST_RUNTIME_PLAN_LAUNCH_DAMAGE_H_

#include <cstdint>
#include <string>

#include "test/runtime/plan/plan_program.h"

namespace accel::testing {

// Changes every launch in every way that must be refused, one at a time, as
// rank 0 of `ranks` sees it, and prints how many there were. Fails if one is
// accepted, or refused without its name.
void DamageLaunches(const Program& good, uint64_t ranks);

// Writes the plan with the first launch of `step` over a part of its tiles.
void WriteLaunchPart(const Program& good, const std::string& path);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_LAUNCH_DAMAGE_H_
