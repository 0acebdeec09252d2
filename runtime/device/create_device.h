// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the device of a rank. Nothing else knows which kinds there are.
#ifndef ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/device/available_memory.h"
#include "runtime/device/device.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Which device executes a plan.
enum class DeviceChoice {
  kPlanned,  // the one that its first code variant is for
  kCpu,
};

// Whether there is such a device for the plan: a device takes the code for
// another one's place only if that was asked for. Unimplemented otherwise, with
// what to do. Says nothing of whether its code runs on this machine.
absl::Status CheckDevice(const PlanView& plan, DeviceChoice choice);

struct DeviceOptions {
  // Of the rank; 0: its share of the cores that the process may use.
  int threads = 0;
  // That share these cores.
  int ranks = 1;
  std::function<AvailableMemory(Vfs&)> available_memory = ReadAvailableMemory;
};

// Borrows: the vfs.
absl::StatusOr<std::unique_ptr<Device>> CreateDevice(
    Vfs& vfs, const DeviceOptions& options);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CREATE_DEVICE_H_
