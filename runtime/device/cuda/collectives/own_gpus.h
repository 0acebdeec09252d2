// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether each rank has a GPU of its own.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_OWN_GPUS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_OWN_GPUS_H_

#include "absl/status/status.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/gpu.h"

namespace accel::runtime::cuda {

// Unimplemented, naming two ranks and the remedy, where they have the same
// GPU. All ranks call this together, and all fail.
absl::Status CheckOwnGpus(Communicator& communicator, const Gpu& gpu);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_OWN_GPUS_H_
