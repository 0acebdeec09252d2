// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a comparison of devices has found, for people and for programs.
#ifndef ACCEL_TOOLS_ACCEL_COMPARE_COMPARISON_REPORT_H_
#define ACCEL_TOOLS_ACCEL_COMPARE_COMPARISON_REPORT_H_

#include <string>

#include "runtime/executor/device_comparison.h"

namespace accel::tools {

// What was compared.
struct ComparisonFacts {
  std::string plan_sha256;
  std::string reference; // devices and their variants of the code
  std::string tested;
  int64_t steps = 0;
  bool evaluates = false; // behind the steps
};

// Lines, the last of which counts; every kernel that differs has one.
std::string ComparisonText(const ComparisonFacts &facts,
                           const runtime::DeviceComparison &comparison);
std::string ComparisonJson(const ComparisonFacts &facts,
                           const runtime::DeviceComparison &comparison);
// Whether all kernels are close.
bool AreClose(const runtime::DeviceComparison &comparison);

} // namespace accel::tools

#endif // ACCEL_TOOLS_ACCEL_COMPARE_COMPARISON_REPORT_H_
