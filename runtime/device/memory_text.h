// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank's memory is for, in words.
#ifndef ACCEL_RUNTIME_DEVICE_MEMORY_TEXT_H_
#define ACCEL_RUNTIME_DEVICE_MEMORY_TEXT_H_

#include <string>

#include "runtime/plan/memory/memory_layout.h"

namespace accel::runtime {

// "parameters 475 MiB, transient 1.2 GiB, gathered 12 MiB for all 2 ranks"
std::string DescribeMemory(const MemoryLayout& layout);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_MEMORY_TEXT_H_
