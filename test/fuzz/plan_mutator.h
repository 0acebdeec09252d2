// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes what a plan says and makes every hash anew. Bytes that are changed at
// random have wrong hashes, and no fuzzer gets behind those by itself.
#ifndef ACCEL_TEST_FUZZ_PLAN_MUTATOR_H_
#define ACCEL_TEST_FUZZ_PLAN_MUTATOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace accel::testing {

// A plan that differs from `file` in one or some fields of its messages or
// bytes of its sections; the same for the same seed. Nothing if no manifest is
// found in `file`.
std::optional<std::string> MutatePlan(absl::string_view file, uint32_t seed);

}  // namespace accel::testing

#endif  // ACCEL_TEST_FUZZ_PLAN_MUTATOR_H_
