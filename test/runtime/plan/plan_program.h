// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan taken apart, to be changed and put together again with every hash made
// anew, so that the hashes do not hide the checks behind them.
#ifndef ACCEL_TEST_RUNTIME_PLAN_PLAN_PROGRAM_H_
#define ACCEL_TEST_RUNTIME_PLAN_PLAN_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::testing {

// What a plan says.
struct Program {
  planpb::Manifest manifest;
  std::vector<std::vector<planpb::Instruction>> functions;
  // The bytes of its sections, in their order; those of functions are empty.
  std::vector<std::string> sections;
};

absl::StatusOr<Program> ReadProgram(const std::string& path);

// Writes it as a plan whose hashes are right, whatever it says.
absl::Status WriteProgram(const Program& program, const std::string& path);

// Says why on standard error, and ends the test program with status 1.
[[noreturn]] void Fail(const std::string& message);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_PLAN_PROGRAM_H_
