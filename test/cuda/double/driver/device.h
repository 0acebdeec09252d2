// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of the double with its primary context, and what an access to its
// memory must obey.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_DEVICE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/configuration.h"
#include "test/cuda/double/driver/memory.h"
#include "test/cuda/double/driver/task.h"

namespace accel::cuda_double {

struct Device {
  int number = 0;
  Capability capability;
  std::unique_ptr<DeviceMemory> memory;

  // The primary context; null while nobody retains it.
  runtime::cuda::Context context = nullptr;
  unsigned retains = 0;
  int streams_made = 0;
  // What the first mistake made of the context; every later call returns it.
  runtime::cuda::Result broken = runtime::cuda::kSuccess;
};

// Whether all the bytes belong to one allocation.
std::optional<Fault> CheckRange(Device& device, const Touched& access);
// Whether all the bytes that are read hold values, too. Bytes that are written
// hold values from now on.
std::optional<Fault> CheckAccess(Device& device, const Touched& access);
// Fills the bytes with garbage.
// Requires: CheckRange(device, access) finds no fault.
void Scramble(Device& device, const Touched& access);
// Whether a function of the caller's has written between the allocations.
std::optional<Fault> CheckRedZones(const Device& device);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_DEVICE_H_
