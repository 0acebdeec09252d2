// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine can do at most, measured: the yardstick of benchmarks.
#ifndef ACCEL_RUNTIME_DEVICE_ROOF_H_
#define ACCEL_RUNTIME_DEVICE_ROOF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/device/thread_team.h"

namespace accel::runtime {

struct Roof {
  // Of multiply-adds of floats in registers, in the widest vectors of the
  // processor, on all threads.
  double flops_per_second = 0;
  // Of updating 64 MB of floats in place by as many others: two read, one
  // written, 12 bytes for each.
  double bytes_per_second = 0;
};

// What measuring takes for as long as it lasts.
uint64_t RoofMemoryBytes();

// The best of several rounds, which take about half a second.
absl::StatusOr<Roof> MeasureRoof(const ThreadTeam& team);

// The least time that so many operations on so many bytes take under the roof:
// the longer of what computing and what moving them takes.
double RoofSeconds(const Roof& roof, uint64_t flops, uint64_t bytes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_ROOF_H_
