// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory this process may still take: the least of what the machine,
// its cgroups and its own limits allow.
#ifndef ACCEL_RUNTIME_DEVICE_AVAILABLE_MEMORY_H_
#define ACCEL_RUNTIME_DEVICE_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

#include "runtime/io/vfs.h"

namespace accel::runtime {

struct AvailableMemory {
  uint64_t bytes = UINT64_MAX;
  // What says so: "MemAvailable of /proc/meminfo", "the cgroup /a/b",
  // "the address-space limit (ulimit -v)"; empty if nothing does.
  std::string source;
};

// Sources that cannot be read do not limit.
AvailableMemory ReadAvailableMemory(Vfs& vfs);
// What each of `ranks` may take of that.
AvailableMemory ShareOf(AvailableMemory available, int ranks);
// What each of `processes` that begin at the same time may take: a share of
// what the machine and its cgroups allow, and what its own limits do.
AvailableMemory ReadShareOfMemory(Vfs& vfs, int processes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_AVAILABLE_MEMORY_H_
