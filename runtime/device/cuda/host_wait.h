// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the host waits for a GPU.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_HOST_WAIT_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_HOST_WAIT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace accel::runtime::cuda {

class HostWait {
 public:
  virtual ~HostWait() = default;

  // Until `ready` says so, fails, or nothing gets on for too long. Meanwhile
  // the streams' client is told what has been finished. `owner`: what is waited
  // for.
  virtual absl::Status WaitUntil(
      absl::FunctionRef<std::string()> owner,
      absl::FunctionRef<absl::StatusOr<bool>()> ready) = 0;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_HOST_WAIT_H_
