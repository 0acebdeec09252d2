// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-compare, as a value.
#ifndef ACCEL_TOOLS_ACCEL_COMPARE_OPTIONS_H_
#define ACCEL_TOOLS_ACCEL_COMPARE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace accel::tools {

struct CompareOptions {
  std::string plan;
  std::string weights_dir;
  std::vector<std::string> data;
  int64_t steps = 2;
  std::optional<int64_t> global_batch;
  int64_t seed = 0;
  std::string cuda_libs;
  std::string json; // path; empty: none is written
};

// What the exit status means, beside that of accel-run.
inline constexpr int kExitDifferent = 1;

// The options, or the exit status after help or a complaint was printed.
std::variant<CompareOptions, int> ParseCompareOptions(int argc, char **argv);

} // namespace accel::tools

#endif // ACCEL_TOOLS_ACCEL_COMPARE_OPTIONS_H_
