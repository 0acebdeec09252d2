// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU is the only kind of device.
#include "runtime/device/create_device.h"

#include <algorithm>

#include "runtime/device/cpu/cpu_device.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<Device>> CreateDevice(
    Vfs& vfs, const DeviceOptions& options) {
  CpuDeviceOptions cpu;
  cpu.threads = options.threads;
  if (cpu.threads == 0) {
    cpu.threads = std::max(1, AvailableCores() / options.ranks);
  }
  cpu.available_memory = options.available_memory;
  return CpuDevice::Create(vfs, cpu);
}

}  // namespace accel::runtime
