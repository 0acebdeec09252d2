// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what the processor can do at most.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_ROOFLINE_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_ROOFLINE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/device/roofline.h"

namespace accel::runtime {

// What measuring takes for as long as it lasts.
uint64_t CpuRooflineMemoryBytes();

// The best of several measurements, which take about half a second, on all
// threads: multiply-adds of floats in registers, in the widest vectors of the
// processor, and 64 MB of floats updated in place by as many others, two read
// and one written, 12 bytes for each.
absl::StatusOr<Roofline> MeasureCpuRoofline(const ThreadPool& pool);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_ROOFLINE_H_
