// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses who carries out collectives, and joins the ranks.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CREATE_COLLECTIVES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CREATE_COLLECTIVES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/base/watchdog.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/device/cuda/gpu.h"
#include "runtime/device/cuda/host_wait.h"
#include "runtime/device/cuda/shared_library.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

struct CollectivesOptions {
  CollectivesChoice choice = CollectivesChoice::kAuto;
  // Threads of this process that share the GPU.
  int ranks_on_gpu = 1;
  LibrarySearch libraries;
};

// All ranks call this together. Unimplemented where ranks of NCCL share a GPU
// or its library is missing, with the remedy.
// Borrows: everything.
// Requires: the ranks of kCard are threads that share the GPU.
absl::StatusOr<std::unique_ptr<DeviceCollectives>> CreateCollectives(
    Vfs& vfs, const CollectivesOptions& options, const Gpu& gpu,
    Communicator& communicator, const Watchdog& watchdog, HostWait& wait);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CREATE_COLLECTIVES_H_
