// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine's CPU can execute, in LLVM's names of features.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace accel::runtime {

struct CpuDescription {
  std::string brand;  // "AMD EPYC 9654 96-Core Processor"
  // "avx2", "avx512f", ...; "fast-avx512bf16": known to gain by "avx512bf16".
  std::set<std::string> features;

  bool Has(absl::string_view feature) const {
    return features.count(std::string(feature)) != 0;
  }
};

// Asks the CPU. A feature counts only if the operating system also saves the
// registers that it needs.
CpuDescription DescribeHostCpu();

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_FEATURES_H_
