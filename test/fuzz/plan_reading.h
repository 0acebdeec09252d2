// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that this project does with a plan's file before it runs its code.
#ifndef ACCEL_TEST_FUZZ_PLAN_READING_H_
#define ACCEL_TEST_FUZZ_PLAN_READING_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace accel::testing {

// Opens, verifies as ranks of several runs and prints it. OK if every step of
// that was; what matters is that none of them crashes or hangs.
absl::Status ReadPlan(absl::string_view file);

}  // namespace accel::testing

#endif  // ACCEL_TEST_FUZZ_PLAN_READING_H_
